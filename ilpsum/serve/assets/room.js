"use strict";
// The page works without this script: forms and links load whole pages. The script replaces the answer in place.
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("ask");
  const status = byId("status");

  const values = () => {
    const query = new URLSearchParams(new FormData(form));
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
    byId("main").replaceChildren(...fresh.childNodes);
    document.title = page.title;
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
    }
    if ("tuned" in lambda.dataset) byId("lambda").dataset.tuned = "";
    else delete byId("lambda").dataset.tuned;
  };

  const load = async (query, source) => {
    const main = byId("main");
    main.setAttribute("aria-busy", "true");
    try {
      const reply = await fetch(`/?${query}`);
      const kind = reply.headers.get("content-type") ?? "";
      if (!kind.startsWith("text/html")) throw new Error((await reply.text()).trim());
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      name(document);
      await ilpsum.move(() => put(page, source));
      const sentences = main.querySelectorAll(".answer > li").length;
      status.textContent = sentences ? `${sentences} sentences` : main.textContent.trim().split("\n")[0];
      if (source !== "slider") mark(query);
    } catch (error) {
      status.textContent = error.message || "The server does not answer.";
    } finally {
      main.removeAttribute("aria-busy");
    }
  };

  // One request at a time: a slider that moves on is followed to where it is, past the positions between.
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
  const show = (query, source) => {
    wanted = { query, source };
    loading ??= follow();
    return loading;
  };

  const ticks = (id, positions) => {
    const field = byId(id);
    const [low, high] = [Number(field.min), Number(field.max)];
    const inside = positions.filter((at) => at >= low && at <= high);
    ilpsum.ticks(byId(`${id}-stops`), inside.map((at) => [(at - low) / (high - low), ""]));
  };

  // Marks take the server longer than an answer: ask for them once the sliders rest.
  let resting = 0;
  const mark = (query) => {
    clearTimeout(resting);
    resting = setTimeout(async () => {
      try {
        const reply = await fetch(`/api/stops?${query}`);
        const stops = reply.ok ? await reply.json() : { lambdas: [], words: [] };
        ticks("lambda", stops.lambdas);
        ticks("words", stops.words);
      } catch { /* the sliders work without marks */ }
    }, 300);
  };

  const go = (query, source = "") => {
    history[source === "slider" ? "replaceState" : "pushState"](null, "", `/?${query}`);
    return show(query, source);
  };

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

  for (const id of ["words", "lambda"]) {
    const field = byId(id);
    field.addEventListener("input", () => {
      byId(`${id}-value`).value = field.value;
      if (id === "lambda") delete field.dataset.tuned;
      if (byId("question").value) go(values(), "slider");
    });
    field.addEventListener("change", () => { if (byId("question").value) mark(values()); });
  }

  byId("main").addEventListener("click", (event) => {
    const link = event.target.closest("a.steers");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(new URL(link.href).searchParams).then(() => byId("main").focus());
  });
  addEventListener("popstate", () => show(new URLSearchParams(location.search), "history"));

  // Texts of the reader's own.
  const dialog = byId("texts");
  const complain = (message) => { byId("texts-error").textContent = message; };
  const bring = async (texts) => {
    const reply = await fetch("/api/texts", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ texts }),
    });
    if (!reply.ok) throw new Error((await reply.text()).trim());
    const held = await reply.json();
    dialog.close();
    const query = new URLSearchParams({ question: byId("question").value, words: byId("words").value, held: held.id });
    await go(query);
    byId("question").focus();
  };
  const read = async (files) => Promise.all([...files].map(async (file) => ({ name: file.name, text: await file.text() })));
  byId("bring").hidden = false;
  byId("bring").addEventListener("click", () => { complain(""); dialog.showModal(); });
  byId("close").addEventListener("click", () => dialog.close());
  byId("use").addEventListener("click", async () => {
    const texts = await read(byId("files").files);
    if (byId("pasted").value.trim()) texts.push({ name: "pasted", text: byId("pasted").value });
    if (!texts.length) return complain("Paste a text or choose a file.");
    return bring(texts).catch((error) => complain(error.message));
  });
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const texts = await read(event.dataTransfer.files);
    if (texts.length) bring(texts).catch((error) => { status.textContent = error.message; });
  });

  name(document);
  if (location.search) mark(values());
})();
