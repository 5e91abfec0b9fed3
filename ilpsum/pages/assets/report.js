"use strict";
// What the page of a report does: tables sort, sliders move along the optima, reasons open.
(() => {
  const key = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.value;
    return value === undefined ? cell.textContent : Number(value);
  };

  // NaN sorts last.
  const order = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return (Number.isNaN(a) - Number.isNaN(b)) || a - b || 0;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };

  const sort = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const head = heads[column];
    const body = table.tBodies[0];
    const rows = [...body.rows];
    // Columns of numbers start in descending order.
    const first = rows.some((row) => row.cells[column].dataset.value !== undefined) ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const to = head.getAttribute("aria-sort") === first ? other : first;
    const sign = to === "ascending" ? 1 : -1;
    rows.sort((a, b) => sign * order(key(a, column), key(b, column)));
    body.append(...rows);
    heads.forEach((cell) => cell.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", to);
  };

  const makeSortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const label = [...head.childNodes];
      head.append(ilpsum.button("", () => sort(table, column)));
      head.firstElementChild.append(...label);
    });
  };

  // The optimal selections of a run: for each word limit its stretches of lambda, in their order.
  const parse = (path) => new Map(JSON.parse(path).map(([words, stretches]) => [words,
    stretches.map(([start, relevance, coverage, costs, order]) => ({ start, relevance, coverage, costs, order }))]));

  let named = [];
  const steer = (topic) => {
    const [words, lambda] = topic.querySelectorAll(".sliders input");
    const own = topic.querySelector("button.own");
    const limits = words.dataset.limits.split(" ").map(Number);
    const runs = [...topic.querySelectorAll(".answer[data-path]")].map((list) => ({
      list,
      colour: list.closest("article").classList[0],
      paths: parse(list.dataset.path),
      lambda: Number(list.dataset.lambda),
      lines: new Map([...list.children].map((line) => [Number(line.dataset.number), line])),
      facts: list.parentElement.querySelector(".position"),
    }));
    runs.forEach((run) => {
      run.own = [...run.list.children].filter((line) => !line.hidden);
      run.said = run.facts.textContent;
    });
    const start = { words: words.value, lambda: lambda.value };
    // Until its slider moves, each run keeps its own lambda.
    let moved = false;
    const lambdaOf = (run) => (moved ? Number(lambda.value) : run.lambda);
    const at = () => limits[Number(words.value)];
    const path = (run) => run.paths.get(at()) ?? run.paths.get(Math.max(...run.paths.keys()));

    const put = (run, lines) => {
      const shown = new Set(lines);
      const same = lines.length === run.own.length && lines.every((line, i) => line === run.own[i]);
      run.list.closest("article").classList.toggle("moved", !same);
      run.lines.forEach((line) => { line.hidden = !shown.has(line); });
      run.list.prepend(...lines);
    };
    const count = (lines) => lines.reduce((sum, line) => sum + line.querySelector("p").textContent.trim().split(/\s+/).length, 0);

    const move = (run) => {
      const value = lambdaOf(run);
      const stretches = path(run);
      const place = Math.max(stretches.findLastIndex((stretch) => stretch.start < value), 0);
      const { start: from, relevance, coverage, costs, order } = stretches[place];
      const to = stretches[place + 1]?.start ?? 1;
      const lines = order.map((number) => run.lines.get(number));
      const objective = value * relevance + (1 - value) * coverage - costs;
      const fresh = lines.filter((line) => !run.own.includes(line)).length;
      put(run, lines);
      run.facts.textContent = `${count(lines)} words of at most ${at()}, ${fresh} of ${lines.length} sentences not in the `
        + `run's text; the optimum for lambda from ${from.toFixed(3)} to ${to.toFixed(3)}, objective ${objective.toFixed(4)}`;
    };

    const draw = (change) => {
      // The browser takes a picture of everything that has a name, so only one topic has names at a time.
      ilpsum.name(named, () => "");
      named = topic.querySelectorAll(".answer[data-path] > li");
      ilpsum.name(named, (line) => `${line.parentElement.id}-${line.dataset.number}`);
      ilpsum.move(change).then(mark);
    };
    const part = (field, name) => document.getElementById(`${field.id}-${name}`);
    const mark = () => {
      const marks = runs.flatMap((run) => path(run).slice(1).map((stretch) => [stretch.start, run.colour]));
      ilpsum.ticks(part(lambda, "stops"), marks);
    };
    const slide = () => {
      part(words, "value").value = at();
      part(lambda, "value").value = moved ? Number(lambda.value) : lambda.dataset.own;
      words.setAttribute("aria-valuetext", `${at()} words`);
      own.disabled = false;
      draw(() => runs.forEach(move));
    };
    words.addEventListener("input", slide);
    lambda.addEventListener("input", () => {
      moved = true;
      slide();
    });
    own.addEventListener("click", () => {
      [words.value, lambda.value] = [start.words, start.lambda];
      moved = false;
      part(words, "value").value = at();
      part(lambda, "value").value = lambda.dataset.own;
      own.disabled = true;
      draw(() => runs.forEach((run) => {
        put(run, run.own);
        run.facts.textContent = run.said;
      }));
    });
    words.setAttribute("aria-valuetext", `${at()} words`);
    // Marks of word limits: where the text of some run differs from that at the limit before, at the run's own lambda.
    const chosen = (run, limit) => run.paths.get(limit)?.findLast((stretch) => stretch.start < run.lambda)?.order.join(" ");
    const changed = limits.map((limit, i) => runs.some((run) => i && chosen(run, limit) !== chosen(run, limits[i - 1])));
    const places = limits.map((_, i) => [i / Math.max(limits.length - 1, 1), ""]);
    ilpsum.ticks(part(words, "stops"), places.filter((_, i) => changed[i]));
    mark();
  };

  // Of many topics one is shown at a time, chosen from a list that a reader can filter; what is ticked is printed.
  const MANY = 5;
  const browse = () => {
    const topics = [...document.querySelectorAll("main > .topic")];
    if (topics.length <= MANY) return;
    const list = document.querySelector("nav .topics");
    const entries = [...list.children];
    document.body.classList.add("many");
    const link = (i) => entries[i].querySelector("a");

    const { element } = ilpsum;
    const filter = element("input", { type: "search", id: "filter" });
    const found = element("span", { className: "facts", role: "status" });
    list.before(element("p", { className: "filter" }, element("label", { htmlFor: "filter" }, "Find a topic"), " ", filter, " ", found));
    const shown = () => entries.flatMap((entry, i) => (entry.hidden ? [] : [i]));
    const count = () => { found.textContent = `${shown().length} of ${topics.length}`; };
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase().split(/\s+/);
      entries.forEach((entry) => {
        const text = entry.textContent.toLowerCase();
        entry.hidden = !words.every((word) => text.includes(word));
      });
      count();
    });
    count();

    entries.forEach((entry, i) => {
      const tick = element("input", { type: "checkbox", ariaLabel: `Print: ${link(i).textContent}` });
      tick.addEventListener("change", () => {
        topics[i].classList.toggle("chosen", tick.checked);
        document.body.classList.toggle("choosing", topics.some((topic) => topic.classList.contains("chosen")));
      });
      entry.prepend(tick, " ");
    });

    const turn = (by) => {
      const order = shown();
      const now = topics.findIndex((topic) => !topic.classList.contains("off"));
      const next = order[Math.max(order.indexOf(now), 0) + by];
      if (next !== undefined) link(next).click();
    };
    const place = element("span");
    const [back, next] = [ilpsum.button("Previous", () => turn(-1)), ilpsum.button("Next", () => turn(1))];
    const all = ilpsum.button("All topics", () => { location.hash = "topics"; });
    topics[0].before(element("p", { className: "turn" }, back, " ", place, " ", next, " ", all));
    list.id = "topics";

    const show = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const current = topics.indexOf(target?.closest(".topic"));
      topics.forEach((topic, i) => topic.classList.toggle("off", i !== current));
      document.body.classList.toggle("reading", current >= 0);
      place.textContent = current >= 0 ? `${current + 1} of ${topics.length}` : "";
      if (current >= 0) target.scrollIntoView();
    };
    addEventListener("hashchange", show);
    show();
  };

  document.addEventListener("DOMContentLoaded", () => {
    browse();
    document.querySelectorAll("main table").forEach(makeSortable);
    document.querySelectorAll(".topic:has(.sliders)").forEach(steer);
    const all = document.getElementById("all");
    all?.addEventListener("click", () => {
      const is = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(is));
      document.querySelectorAll("details.why").forEach((why) => { why.open = is; });
    });
  });
})();
