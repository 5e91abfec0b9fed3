"use strict";
// The page works without this script: forms and links load whole pages. The script replaces the answer in place.
(() => {
  const { element } = ilpsum;
  const byId = (id) => document.getElementById(id);
  const form = byId("ask");
  const status = byId("status");
  const MOST_QUESTIONS = 30;
  const GONE = "The server does not respond.";
  // The server holds as many.
  const MOST_COLLECTIONS = 16;

  const values = () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    if ("tuned" in byId("lambda").dataset) query.delete("lambda");
    return query;
  };

  const name = (root) => ilpsum.name(root.querySelectorAll(".answer > li"), (line) => {
    const known = line.dataset.place.replace(/[^A-Za-z0-9]/g, (c) => `_${c.charCodeAt(0)}_`);
    return `s-${known}`;
  });

  const put = (page, source) => {
    const fresh = page.getElementById("main");
    name(fresh);
    ilpsum.tools(fresh);
    // What the reader has opened stays open.
    const open = [...byId("main").querySelectorAll("details[open]")].map((part) => part.className);
    fresh.querySelectorAll("details").forEach((part) => { part.open ||= open.includes(part.className); });
    byId("main").replaceChildren(...fresh.childNodes);
    document.title = page.title;
    offer();
    form.querySelectorAll("input[type=hidden]").forEach((field) => field.remove());
    form.append(...page.querySelectorAll("#ask input[type=hidden]"));
    byId("searched").firstChild.data = page.getElementById("searched").firstChild.data;
    const lambda = page.getElementById("lambda");
    if (source !== "slider") {
      byId("question").value = page.getElementById("question").value;
      for (const id of ["words", "lambda"]) {
        byId(id).max = page.getElementById(id).max;
        byId(id).value = page.getElementById(id).value;
        byId(`${id}-value`).value = page.getElementById(`${id}-value`).value;
      }
      const [filters, others] = [form.querySelector(".filters"), page.querySelector(".filters")];
      others.open ||= filters.open;
      filters.replaceWith(others);
    }
    byId("lambda").toggleAttribute("data-tuned", "tuned" in lambda.dataset);
  };

  // After half a second the reader sees what is being done, and can stop it.
  const watch = (query, control) => {
    let timer = setTimeout(async function show() {
      let stage = "";
      try {
        stage = await (await fetch(`/api/stage?${query}`, { signal: control.signal })).text();
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
      const reply = await fetch(`/?${query}`, { signal: control.signal });
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
    // Enter in a filter changes the field, too: that asks once.
    if (loading && source === "new" && `?${query}` === address) return loading;
    history[source === "slider" || `?${query}` === address ? "replaceState" : "pushState"](null, "", `/?${query}`);
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
    const entries = asked().map(([question, address]) => element("li", {}, element("a", { href: `/?${address}` }, question)));
    byId("asked").replaceChildren(...entries);
    byId("history").hidden = !entries.length;
  };
  byId("forget").addEventListener("click", () => {
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
    // A new question has other sentences.
    const query = values();
    if (query.get("question") !== new URLSearchParams(location.search).get("question")) {
      query.delete("keep");
      query.delete("bar");
    }
    go(query);
  });

  // A filter that changes moves the answer.
  form.addEventListener("change", (event) => {
    if (event.target.closest(".filters") && byId("question").value) go(values());
  });

  for (const id of ["words", "lambda"]) {
    const field = byId(id);
    field.addEventListener("input", () => {
      byId(`${id}-value`).value = id === "words" ? `${field.value} words` : field.value;
      if (id === "lambda") delete field.dataset.tuned;
      if (byId("question").value) go(values(), "slider");
    });
  }

  // What is kept, barred or undone keeps its place on the screen, and the focus.
  byId("main").addEventListener("click", async (event) => {
    const link = event.target.closest("a.steers");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const at = link.getBoundingClientRect().top;
    const index = [...byId("main").querySelectorAll("a.steers")].indexOf(link);
    await go(new URL(link.href).searchParams, "steer");
    const links = [...byId("main").querySelectorAll("a.steers")];
    const next = links[Math.min(index, links.length - 1)] ?? byId("main");
    next.focus({ preventScroll: true });
    if (next !== byId("main")) scrollBy(0, next.getBoundingClientRect().top - at);
  });
  // A link within the page changes the fragment alone, and the browser goes there by itself.
  addEventListener("popstate", () => {
    if (location.search === address) return;
    address = location.search;
    show(new URLSearchParams(address));
  });

  // Collections of the reader's own: this browser knows their names, the server holds their texts.
  const dialog = byId("texts");
  const collection = byId("collection");
  const own = () => JSON.parse(ilpsum.recall("collections") || "[]");
  const offer = () => {
    const held = new URLSearchParams(location.search).get("held") ?? "";
    const known = own().map(({ called, id, documents }) => new Option(`${called} (${documents})`, id));
    collection.replaceChildren(new Option("the abstracts here", ""), ...known);
    if (held && collection.value !== held && !own().some(({ id }) => id === held)) collection.add(new Option("texts of this link", held));
    collection.value = held;
    byId("remove").hidden = !own().some(({ id }) => id === held);
  };
  collection.addEventListener("change", () => {
    const query = values();
    for (const name of ["held", "keep", "bar"]) query.delete(name);
    if (collection.value) query.set("held", collection.value);
    if (query.get("question")) go(query);
    else location.assign(`/?${query}`);
  });
  byId("remove").addEventListener("click", async () => {
    const id = collection.value;
    try {
      const reply = await fetch(`/api/texts/${id}`, { method: "DELETE" });
      // 410: the server has forgotten them already.
      if (!reply.ok && reply.status !== 410) throw new Error((await reply.text()).trim());
    } catch (error) {
      status.classList.remove("spoken");
      status.textContent = error instanceof TypeError ? GONE : error.message;
      return;
    }
    ilpsum.remember("collections", JSON.stringify(own().filter((other) => other.id !== id)));
    offer();
    collection.value = "";
    collection.dispatchEvent(new Event("change"));
    collection.focus();
  });

  const complain = (message) => { byId("texts-error").textContent = message; };
  const say = (...lines) => byId("read").replaceChildren(...lines.map((line) => element("p", {}, line)));
  // fetch does not say how much of a body was sent.
  const send = (texts) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/texts");
    request.setRequestHeader("content-type", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => say(loaded < total ? `Sending: ${Math.round((100 * loaded) / total)} %` : "The server reads them …"));
    request.addEventListener("load", () => (request.status === 200 ? resolve(JSON.parse(request.responseText)) : reject(new Error(request.responseText.trim()))));
    request.addEventListener("error", () => reject(new Error(GONE)));
    request.send(JSON.stringify({ texts }));
  });
  const bring = async (files, pasted) => {
    complain("");
    byId("use").disabled = true;
    try {
      const texts = [];
      for (const [i, file] of [...files].entries()) {
        say(`Reading ${i + 1} of ${files.length}: ${file.name}`);
        texts.push({ name: file.name, text: await file.text() });
      }
      if (pasted.trim()) texts.push({ name: "pasted", text: pasted });
      if (!texts.length) throw new Error("Paste a text or choose a file.");
      const held = await send(texts);
      const called = byId("called").value.trim() || texts[0].name;
      const others = own().filter(({ id }) => id !== held.id);
      ilpsum.remember("collections", JSON.stringify([{ called, id: held.id, documents: held.documents }, ...others].slice(0, MOST_COLLECTIONS)));
      byId("called").value = "";
      const skipped = held.warnings;
      say(held.documents === 1 ? "1 text was read." : `${held.documents} texts were read.`, ...skipped);
      const query = new URLSearchParams({ question: byId("question").value, words: byId("words").value, held: held.id });
      if (!skipped.length) dialog.close();
      // Without a question the page only says what it searches now.
      await (query.get("question") ? go(query) : location.assign(`/?${query}`));
      offer();
      if (!skipped.length) byId("question").focus();
    } catch (error) {
      say();
      complain(error.message);
    } finally {
      byId("use").disabled = false;
    }
  };
  byId("collections").hidden = false;
  offer();
  byId("bring").addEventListener("click", () => { complain(""); say(); dialog.showModal(); });
  byId("close").addEventListener("click", () => dialog.close());
  byId("use").addEventListener("click", () => bring(byId("files").files, byId("pasted").value));
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    if (!dialog.open) dialog.showModal();
    bring(event.dataTransfer.files, "");
  });

  name(document);
  if (location.search) keep(new URLSearchParams(location.search));
})();
