"use strict";
// What the page of a report does: sliders move along the optima, reasons open.
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
    lists.forEach((list) => list.querySelectorAll(".gap").forEach((gap) => gap.remove()));
    const shown = lists.map((list) => [...list.children].filter((line) => !line.hidden));
    if (shown.filter((lines) => lines.length).length < 2) return;
    const same = (line) => line?.dataset.same;
    shown.flat().forEach((line) => {
      const of = shown.filter((lines) => lines.some((other) => same(other) === same(line))).length;
      line.classList.toggle("only", of === 1);
      line.classList.toggle("both", of > 1);
    });
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

  // The optimal selections of a run: for each word limit its stretches of lambda, in their order.
  const parse = (path) => new Map(JSON.parse(path).map(([words, stretches]) => [words, stretches.map(
    ([start, relevance, coverage, costs, order, scores]) => ({ start, relevance, coverage, costs, order, scores }))]));
  const short = (score) => score.toFixed(4).replace(/^0/, "");

  let named = [];
  // Connect the sliders of a topic; the function returned moves its texts to a lambda, or back to their own.
  const steer = (topic) => {
    const [words, lambda] = topic.querySelectorAll(".sliders input");
    const own = topic.querySelector("button.own");
    const limits = words.dataset.limits.split(" ").map(Number);
    words.closest(".slider").hidden = limits.length === 1;
    const lists = [...topic.querySelectorAll(".answer")];
    const runs = lists.filter((list) => list.dataset.path).map((list) => ({
      list,
      colour: list.closest("article").classList[0],
      paths: parse(list.dataset.path),
      lambda: Number(list.dataset.lambda),
      lines: new Map([...list.children].map((line) => [Number(line.dataset.number), line])),
      facts: list.closest("article").querySelector(".position"),
      scores: [...list.closest("article").querySelectorAll(".score b")],
    }));
    runs.forEach((run) => {
      run.own = [...run.list.children].filter((line) => !line.hidden);
      run.said = run.facts.textContent;
      run.scored = run.scores.map((score) => score.textContent);
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
      const { start: from, relevance, coverage, costs, order, scores } = stretches[place];
      const to = stretches[place + 1]?.start ?? 1;
      const lines = order.map((number) => run.lines.get(number));
      const objective = value * relevance + (1 - value) * coverage - costs;
      const fresh = lines.filter((line) => !run.own.includes(line)).length;
      put(run, lines);
      run.facts.textContent = `${count(lines)} words of at most ${at()}, ${fresh} of ${lines.length} sentences not in the `
        + `run's text; the optimum for lambda from ${from.toFixed(3)} to ${to.toFixed(3)}, objective ${objective.toFixed(4)}`;
      run.scores.forEach((score, i) => { score.textContent = scores.length ? short(scores[i]) : run.scored[i]; });
    };

    const draw = (change) => {
      // The browser takes a picture of everything that has a name, so only one topic has names at a time.
      ilpsum.name(named, () => "");
      named = topic.querySelectorAll(".answer[data-path] > li[data-number]");
      ilpsum.name(named, (line) => `${line.parentElement.id}-${line.dataset.number}`);
      ilpsum.move(() => {
        change();
        align(lists);
      }).then(mark);
    };
    const part = (field, name) => document.getElementById(`${field.id}-${name}`);
    const mark = () => {
      const marks = runs.flatMap((run) => path(run).slice(1).map((stretch) => [stretch.start, run.colour]));
      ilpsum.ticks(part(lambda, "stops"), marks);
      along();
    };
    // The scores along the exact paths, in the metric shown.
    const along = () => {
      const scored = runs.filter((run) => path(run)[0].scores.length);
      const of = ({ scores }) => scores[chosenMetric()];
      const every = scored.flatMap((run) => path(run).map(of));
      const [low, high] = [Math.min(...every), Math.max(...every)];
      const up = (score) => 96 - (92 * (score - low)) / (high - low || 1);
      const drawn = scored.map((run) => {
        const stretches = path(run);
        const steps = stretches.map((stretch, i) => `V${up(of(stretch))}H${1000 * (stretches[i + 1]?.start ?? 1)}`);
        const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
        line.setAttribute("class", run.colour);
        line.setAttribute("d", `M0,${up(of(stretches[0]))}${steps.join("")}`);
        return line;
      });
      topic.querySelector(".along").replaceChildren(...drawn);
    };
    const reset = (run) => {
      put(run, run.own);
      run.facts.textContent = run.said;
      run.scores.forEach((score, i) => { score.textContent = run.scored[i]; });
    };
    const slide = (change) => {
      part(words, "value").value = at();
      part(lambda, "value").value = moved ? Number(lambda.value) : lambda.dataset.own;
      words.setAttribute("aria-valuetext", `${at()} words`);
      own.disabled = change === reset;
      draw(() => runs.forEach(change));
    };
    words.addEventListener("input", () => slide(move));
    lambda.addEventListener("input", () => {
      moved = true;
      slide(move);
    });
    own.addEventListener("click", () => {
      [words.value, lambda.value] = [start.words, start.lambda];
      moved = false;
      slide(reset);
    });
    document.getElementsByName("metric").forEach((choice) => choice.addEventListener("change", along));
    // Marks of word limits: where the text of some run differs from that at the limit before, at the run's own lambda.
    const chosen = (run, limit) => run.paths.get(limit)?.findLast((stretch) => stretch.start < run.lambda)?.order.join(" ");
    const changed = limits.map((limit, i) => runs.some((run) => i && chosen(run, limit) !== chosen(run, limits[i - 1])));
    const places = limits.map((_, i) => [i / Math.max(limits.length - 1, 1), ""]);
    ilpsum.ticks(part(words, "stops"), places.filter((_, i) => changed[i]));
    mark();
    return (value) => {
      lambda.value = value;
      lambda.dispatchEvent(new Event("input"));
    };
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

  // One lambda for the texts of all topics, from the plot or its slider; a topic follows when it is shown.
  const everywhere = (figure, movers) => {
    const input = document.getElementById("lambda");
    if (!input) return;
    const follow = () => movers.forEach((mover, topic) => { if (topic.checkVisibility()) mover(input.value); });
    input.addEventListener("input", () => {
      document.getElementById("lambda-value").value = Number(input.value);
      follow();
      addEventListener("hashchange", follow);
    });
    figure.querySelectorAll("svg.steps").forEach((plot) => plot.addEventListener("click", (event) => {
      const { left, width } = plot.getBoundingClientRect();
      input.value = (event.clientX - left) / width;
      input.dispatchEvent(new Event("input"));
      location.hash = "";
      document.querySelector("#topics tbody tr:not([hidden]) a").click();
    }));
  };

  document.addEventListener("DOMContentLoaded", () => {
    const table = document.getElementById("topics");
    // A topic is made ready when it is first shown: of a hundred, most never are.
    const movers = new Map();
    const prepare = (topic) => {
      if (movers.has(topic)) return;
      align([...topic.querySelectorAll(".answer")]);
      topic.querySelector(".with-gold input")?.addEventListener("change", () => underline(topic), { once: true });
      movers.set(topic, topic.querySelector(".sliders") ? steer(topic) : () => {});
    };
    browse(table, prepare);
    switchMetric(table);
    const figure = document.querySelector(".curves");
    if (figure) everywhere(figure, movers);
    const all = document.getElementById("all");
    all?.addEventListener("click", () => {
      const is = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(is));
      document.querySelectorAll("details.why").forEach((why) => { why.open = is; });
    });
  });
})();
