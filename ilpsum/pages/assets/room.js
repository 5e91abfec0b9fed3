"use strict";
// The page works without this script: forms and links load whole pages. The script replaces the answer in place.
(() => {
  const { element } = ilpsum;
  const byId = (id) => document.getElementById(id);
  const form = byId("ask");
  const status = byId("status");
  const MOST_QUESTIONS = 30;
  const GONE = "The server does not respond.";

  const values = () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    if ("tuned" in (byId("lambda")?.dataset ?? {})) query.delete("lambda");
    if (query.get("words") === byId("words").defaultValue && !location.search.includes("words=")) query.delete("words");
    return query;
  };

  const name = (root) => ilpsum.name(root.querySelectorAll("[data-place]"), (line) => {
    const known = line.dataset.place.replace(/[^A-Za-z0-9]/g, (c) => `_${c.charCodeAt(0)}_`);
    return `s-${known}`;
  });

  const put = (page, source) => {
    const fresh = byId("main");
    const next = page.getElementById("main");
    name(next);
    // What the reader has opened stays open.
    const key = (part) => `${part.className} ${part.closest("[data-place]")?.dataset.place ?? part.id}`;
    const open = [...fresh.querySelectorAll("details[open]")].map(key);
    next.querySelectorAll("details").forEach((part) => { part.open ||= open.includes(key(part)); });
    const field = document.activeElement.id;
    // A slider that has moved on meanwhile stays where it is.
    const slider = wanted && page.getElementById("lambda");
    if (slider) slider.value = byId("lambda").value;
    fresh.replaceChildren(...next.childNodes);
    ilpsum.tools(fresh);
    if (field === "lambda") byId("lambda")?.focus();
    document.title = page.title;
    form.querySelectorAll("input[type=hidden]").forEach((field) => field.remove());
    form.append(...page.querySelectorAll("#ask input[type=hidden]"));
    if (source === "slider") return;
    byId("question").value = page.getElementById("question").value;
    putChips(page.querySelector(".chips"));
  };

  // The chips say what is set; the open one stays open, and the field in it keeps the focus.
  const putChips = (chips) => {
    const field = document.activeElement;
    const inside = field.closest(".chips");
    const same = field.id ? `#${field.id}` : `[name="${field.name}"][value="${field.value}"]`;
    const before = [...form.querySelectorAll(".chip")].findIndex((chip) => chip.open);
    form.querySelector(".chips").replaceWith(chips);
    if (before >= 0) form.querySelectorAll(".chip")[before].open = true;
    if (inside) chips.querySelector(same)?.focus();
    list();
  };

  // After half a second the reader sees what is being done, and can stop it.
  const watch = (query, control) => {
    let timer = setTimeout(async function show() {
      let stage = "";
      try {
        stage = await (await fetch(`api/stage?${query}`, { signal: control.signal })).text();
      } catch { /* the answer fails too, and says why */ }
      if (control.signal.aborted || timer === null) return;
      const text = `${stage || "waiting"} …`;
      if (status.firstChild) status.firstChild.textContent = text;
      else status.replaceChildren(element("span", {}, text), " ", ilpsum.button("Stop", () => control.abort("stopped")));
      timer = setTimeout(show, 300);
    }, 500);
    return () => {
      clearTimeout(timer);
      timer = null;
    };
  };

  const fail = (message, query) => {
    const again = ilpsum.button("Try again", () => show(query));
    byId("main").replaceChildren(element("div", { className: "failed", role: "alert" }, element("p", {}, message), again));
  };

  const load = async (query, source) => {
    const main = byId("main");
    const control = new AbortController();
    request = control;
    // The answer to another question does not stand under this one.
    if (source === "new") main.replaceChildren();
    status.replaceChildren();
    status.classList.remove("spoken");
    main.setAttribute("aria-busy", "true");
    const done = watch(query, control);
    try {
      const reply = await fetch(`./?${query}`, { signal: control.signal });
      const kind = reply.headers.get("content-type") ?? "";
      const body = await reply.text();
      if (!kind.startsWith("text/html")) throw new Error(body.trim());
      const page = new DOMParser().parseFromString(body, "text/html");
      done();
      name(document);
      await ilpsum.move(() => put(page, source));
      // Said once, for those who do not see it below.
      status.classList.add("spoken");
      status.textContent = main.querySelector(".state")?.textContent ?? "";
      if (reply.ok && source !== "slider") keep(query);
    } catch (error) {
      done();
      status.replaceChildren();
      if (control.signal.reason === "stopped") fail("You stopped the search.", query);
      else if (!control.signal.aborted) fail(error instanceof TypeError ? GONE : error.message, query);
    } finally {
      main.removeAttribute("aria-busy");
    }
  };

  // One request at a time: a slider that moves on is followed to where it is, past the positions between; what is asked
  // otherwise takes the place of the request at work.
  let request = null;
  let loading = null;
  let wanted = null;
  const follow = async () => {
    while (wanted) {
      const { query, source } = wanted;
      wanted = null;
      await load(query, source);
    }
    loading = null;
  };
  const show = (query, source = "new") => {
    wanted = { query, source };
    if (source !== "slider") request?.abort("replaced");
    loading ??= follow();
    return loading;
  };

  let address = location.search;
  const go = (query, source = "new") => {
    // A setting has asked already when Enter in its field asks again.
    const again = loading || document.activeElement.closest(".chips");
    if (again && source === "new" && `?${query}` === address) return loading;
    history[source === "slider" || `?${query}` === address ? "replaceState" : "pushState"](null, "", `?${query}`);
    address = location.search;
    return show(query, source);
  };

  // The questions asked in this browser; the server keeps none.
  const asked = () => JSON.parse(ilpsum.recall("questions") || "[]");
  const keep = (query) => {
    const question = query.get("question");
    if (!question) return;
    const others = asked().filter(([other]) => other !== question);
    ilpsum.remember("questions", JSON.stringify([[question, String(query)], ...others].slice(0, MOST_QUESTIONS)));
    list();
  };
  const list = () => {
    const entries = asked().map(([question, address]) => element("li", {}, element("a", { href: `?${address}` }, question)));
    byId("asked").replaceChildren(...entries);
    byId("history").hidden = !entries.length;
  };
  form.addEventListener("click", ({ target }) => {
    if (target.id !== "forget") return;
    ilpsum.remember("questions", "[]");
    list();
  });
  list();

  // The field grows with a long question, yet Enter asks.
  byId("question").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // A new question has other sentences, and another search unless the reader has written that, too.
    const query = values();
    const before = new URLSearchParams(location.search);
    if (query.get("question") !== before.get("question")) {
      query.delete("keep");
      query.delete("bar");
      if (query.get("query") === before.get("query")) query.delete("query");
    }
    const typed = document.activeElement === byId("question");
    go(query);
    // The next stop of the tab key is the answer; a long question folds.
    if (typed) byId("main").focus({ preventScroll: true });
  });

  // A setting that changes moves the answer; a year waits for its fourth digit.
  const set = (field) => {
    const waits = field.type === "number" && field.value.length % 4;
    if (!waits && field.reportValidity() && byId("question").value) go(values());
  };
  document.addEventListener("change", ({ target }) => {
    if (target.id === "lambda") go(values(), "slider");
    else if (target.closest(".chips") && !target.matches("[type=range], [type=number]")) set(target);
  });
  document.addEventListener("input", ({ target }) => {
    if (target.matches("[type=number]")) set(target);
    if (!target.matches("[type=range]")) return;
    const said = target.id === "words" ? `${target.value} words` : target.value;
    document.querySelectorAll(`.${target.id}-value`).forEach((place) => { place.textContent = said; });
    delete target.dataset.tuned;
    if (target.id === "words" && byId("question").value) go(values(), "slider");
  });
  // A click, or the focus, beside an open chip closes it; so does Escape.
  const close = ({ target }) => {
    const open = form.querySelector(".chip[open]");
    if (open && !open.contains(target) && document.contains(target)) open.open = false;
  };
  document.addEventListener("click", close);
  document.addEventListener("focusin", close);
  form.addEventListener("keydown", ({ key }) => {
    const open = form.querySelector(".chip[open]");
    if (key !== "Escape" || !open) return;
    open.open = false;
    open.querySelector("summary").focus();
  });

  // What is kept, barred or undone keeps the focus, and the page its place unless the focus leaves the screen.
  byId("main").addEventListener("click", async (event) => {
    const link = event.target.closest("a.steers");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const index = [...byId("main").querySelectorAll("a.steers")].indexOf(link);
    await go(new URL(link.href).searchParams, "steer");
    const links = [...byId("main").querySelectorAll("a.steers")];
    const next = links[Math.min(index, links.length - 1)] ?? byId("main");
    ilpsum.pick(next.closest(".line"));
    next.focus();
  });
  // A link within the page changes the fragment alone, and the browser goes there by itself.
  addEventListener("popstate", () => {
    if (location.search === address) return;
    address = location.search;
    show(new URLSearchParams(address));
  });

  // What sticks below the bar knows its height, which a long question changes.
  const bar = document.querySelector("header");
  new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);

  name(document);
  if (location.search) keep(new URLSearchParams(location.search));
})();
