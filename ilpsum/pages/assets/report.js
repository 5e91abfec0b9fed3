"use strict";
// What the page of a report does: equal sentences are aligned, topics are browsed, reasons open.
(() => {
  // The metric that the switch shows, as a number.
  const chosenMetric = () => Math.max([...document.getElementsByName("metric")].findIndex((choice) => choice.checked), 0);

  // A table sorted by a column of one metric is then sorted by that of the other.
  const switchMetric = (table) => document.getElementsByName("metric").forEach((choice) => choice.addEventListener("change", () => {
    const heads = [...table.tHead.rows[0].cells];
    const of = (metric) => heads.filter((head) => head.className === `m${metric}`);
    const sorted = heads.find((head) => head.ariaSort);
    const other = of(chosenMetric())[of(sorted?.className.slice(1)).indexOf(sorted)];
    if (!other) return;
    const to = sorted.ariaSort;
    while (other.ariaSort !== to) ilpsum.sort(table, heads.indexOf(other));
  }));

  // Equal sentences stand at the same height: a run waits where a sentence of its own comes later in another.
  // What several runs chose is quiet, what only one chose is marked.
  const align = (lists) => {
    const shown = lists.map((list) => [...list.children]);
    if (shown.filter((lines) => lines.length).length < 2) return;
    const same = (line) => line?.dataset.same;
    const waiting = shown.map((lines) => [...lines]);
    const ready = (line) => waiting.every((lines) => same(lines[0]) === same(line) || !lines.some((other) => same(other) === same(line)));
    while (waiting.some((lines) => lines.length)) {
      let now = waiting.map((lines) => lines.length > 0 && ready(lines[0]));
      // In another order in each run, a sentence cannot stand at one height.
      if (!now.includes(true)) now = waiting.map((lines, i) => i === waiting.findIndex((some) => some.length));
      waiting.forEach((lines, i) => {
        if (now[i]) lines.shift();
        else if (lines.length) lines[0].before(ilpsum.element("li", { className: "gap", ariaHidden: "true" }));
      });
    }
  };

  // Underline the words that sentences and gold share, once gold is opened.
  const underline = (topic) => {
    const shared = new Set(topic.querySelector(".gold").dataset.shared.split(" "));
    topic.querySelectorAll(".gold p, .answer > li p:first-child").forEach((text) => {
      const parts = text.textContent.split(/([\p{L}\p{N}]+)/u);
      text.replaceChildren(...parts.map((part) => (shared.has(part.toLowerCase()) ? ilpsum.element("u", {}, part) : part)));
    });
  };

  // Of many topics one is shown at a time, chosen from the table, which can be filtered; what is ticked is printed.
  const browse = (table, prepare) => {
    const topics = [...document.querySelectorAll("main > .topic")];
    const { element } = ilpsum;
    const rows = () => [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const link = (row) => row.querySelector("th a");
    const of = (row) => document.querySelector(link(row).hash).closest(".topic");

    table.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      const order = rows();
      const next = order[order.indexOf(event.target.closest("tbody tr")) + by];
      if (!by || !next) return;
      event.preventDefault();
      link(next).focus();
    });

    const filter = element("input", { type: "search", id: "filter" });
    const found = element("span", { className: "facts", role: "status" });
    table.parentElement.before(element("p", { className: "filter" },
      element("label", { htmlFor: "filter" }, "Find a topic"), " ", filter, " ", found));
    const count = () => { found.textContent = `${rows().length} of ${topics.length}`; };
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase().split(/\s+/);
      [...table.tBodies[0].rows].forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      });
      count();
    });
    count();

    table.tHead.rows[0].append(element("th", { className: "tick", scope: "col" }, "print"));
    rows().forEach((row) => {
      const tick = element("input", { type: "checkbox", ariaLabel: `Print: ${link(row).textContent}` });
      tick.addEventListener("change", () => {
        prepare(of(row));
        of(row).classList.toggle("chosen", tick.checked);
      });
      row.append(element("td", { className: "tick" }, tick));
    });

    if (!document.querySelector(".many")) {
      topics.forEach(prepare);
      return;
    }
    const current = () => rows().findIndex((row) => of(row).classList.contains("shown"));
    const turn = (by) => {
      const next = rows()[current() + by];
      if (next) link(next).click();
    };
    const place = element("span");
    const [back, next] = [ilpsum.button("Previous", () => turn(-1)), ilpsum.button("Next", () => turn(1))];
    const all = ilpsum.button("All topics", () => { location.hash = "topics"; });
    topics[0].before(element("p", { className: "turn" }, back, " ", place, " ", next, " ", all));

    let last = null;
    const show = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const shown = target?.closest(".topic");
      if (shown) prepare(shown);
      topics.forEach((topic) => topic.classList.toggle("shown", topic === shown));
      place.textContent = shown ? `${current() + 1} of ${rows().length}` : "";
      if (shown) {
        target.scrollIntoView();
        last = rows()[current()];
      } else if (last) link(last).focus();
    };
    addEventListener("hashchange", show);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.querySelector(".topic.shown")) location.hash = "topics";
    });
    show();
  };

  document.addEventListener("DOMContentLoaded", () => {
    const table = document.getElementById("topics");
    // A topic is made ready when it is first shown: of a hundred, most never are.
    const prepared = new Set();
    const prepare = (topic) => {
      if (prepared.has(topic)) return;
      prepared.add(topic);
      align([...topic.querySelectorAll(".answer")]);
      topic.querySelector(".with-gold input")?.addEventListener("change", () => underline(topic), { once: true });
    };
    browse(table, prepare);
    switchMetric(table);
    const all = document.getElementById("all");
    all?.addEventListener("click", () => {
      const is = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(is));
      document.querySelectorAll("details.why").forEach((why) => { why.open = is; });
    });
  });
})();
