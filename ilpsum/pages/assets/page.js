"use strict";
// What every page does: sorting, copying, and sentences that move instead of jumping.
const ilpsum = (() => {
  // Without this class (no script), what needs the script is hidden.
  document.documentElement.classList.add("script");

  // Some browsers refuse storage to pages opened from a file: a choice then holds for this page only.
  const recall = (key) => {
    try { return localStorage.getItem(`ilpsum-${key}`); } catch { return null; }
  };
  const remember = (key, value) => {
    try { localStorage.setItem(`ilpsum-${key}`, value); } catch { /* see above */ }
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // A name for each sentence lets the browser move it from its old place to its new one.
  const name = (lines, nameOf) => lines.forEach((line) => { line.style.viewTransitionName = nameOf(line); });

  // Change the page; sentences that have a name before and after move.
  const move = (change) => {
    if (!document.startViewTransition || calm.matches) {
      change();
      return Promise.resolve();
    }
    const transition = document.startViewTransition(change);
    // A slider that moves on skips a transition: that is no error.
    transition.ready.catch(() => {});
    transition.finished.catch(() => {});
    return transition.updateCallbackDone;
  };

  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const button = (label, work) => element("button", { type: "button", onclick: (event) => work(event.currentTarget) }, label);

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
      if (head.matches(".plot, .tick")) return;
      for (const row of table.tBodies[0].rows) row.cells[column].dataset.head = head.textContent;
      const label = [...head.childNodes];
      head.append(button("", () => sort(table, column)));
      head.lastElementChild.append(...label);
    });
  };

  const copy = async (text, from) => {
    const label = from.textContent;
    try {
      await navigator.clipboard.writeText(text);
      from.textContent = "Copied";
    } catch {
      from.textContent = "The browser does not allow it";
    }
    setTimeout(() => { from.textContent = label; }, 1500);
  };

  // What can be done with an answer: copy all of it or a sentence with its citation, print it, link to it.
  const tools = (part) => {
    part.querySelectorAll("table").forEach(makeSortable);
    part.querySelectorAll(".address").forEach((place) => { place.textContent = location.href; });
    const row = part.querySelector(".tools");
    if (row) {
      const copied = row.querySelector("template.copied");
      const state = row.querySelector(".state");
      row.prepend(button("Copy", (from) => copy(copied.content.textContent, from)));
      state.before(button("Print", () => print()));
      if (location.protocol.startsWith("http")) state.before(button("Link", (from) => copy(location.href, from)));
    }
    part.querySelectorAll(".line").forEach((line) => {
      const acts = line.querySelector(".acts");
      line.addEventListener("click", (event) => {
        if (event.target.closest(".acts, .source")) return;
        pick(line.classList.contains("picked") ? null : line);
      });
      line.addEventListener("focusin", () => { if (line.matches(":has(:focus-visible)")) pick(line); });
      acts.append(button("Copy", (from) => copy(line.dataset.citation, from)));
      // One stop of the tab key a sentence: the arrow keys go on to its controls.
      line.querySelectorAll("sup a, .acts :is(a, button, summary)").forEach((act) => { act.tabIndex = -1; });
      line.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const stops = [line.querySelector(".quoted"), ...acts.querySelectorAll("a, button, summary")];
        stops[stops.indexOf(document.activeElement) + step]?.focus();
        event.preventDefault();
      });
    });
    pair(part);
  };

  // Whether the sources stand beside the answer, or below it.
  const beside = () => getComputedStyle(document.querySelector("aside")).position === "sticky";

  // The controls of one sentence are open at a time; in one column its source stands below them, lent by the list.
  let giveBack = () => {};
  const pick = (line) => {
    // The focus moves on within the lent source; to lend it again would lose the focus.
    if (line?.classList.contains("picked")) return;
    document.querySelectorAll(".picked").forEach((other) => other.classList.remove("picked"));
    giveBack();
    giveBack = () => {};
    line?.classList.add("picked");
    const source = line && document.querySelector(line.querySelector(".quoted").hash)?.closest(".source");
    if (!source || beside()) return;
    const place = document.createComment("");
    source.before(place);
    source.open = true;
    line.append(source);
    source.querySelector(line.querySelector(".quoted").hash).parentElement.scrollIntoView({ block: "nearest" });
    giveBack = () => place.replaceWith(source);
  };

  // A sentence and its place in the source light up together; the source moves within its column, never the page.
  const pair = (part) => {
    const column = part.querySelector("aside");
    if (!column) return;
    const partners = [...part.querySelectorAll(".line")].map((line) => {
      return [line, column.querySelector(line.querySelector(".quoted").hash)?.closest("mark")];
    });
    const light = (line, mark, on) => [line, mark].forEach((one) => one?.classList.toggle("lit", on));
    const bring = (mark) => {
      if (!mark || !beside()) return;
      mark.closest("details").open = true;
      const top = mark.getBoundingClientRect().top - column.getBoundingClientRect().top;
      if (top < 0 || top > column.clientHeight - 60) column.scrollBy({ top: top - 80, behavior: calm.matches ? "auto" : "smooth" });
    };
    partners.forEach(([line, mark]) => {
      for (const [kind, on] of [["mouseenter", true], ["mouseleave", false], ["focusin", true], ["focusout", false]]) {
        line.addEventListener(kind, () => {
          light(line, mark, on);
          if (on) bring(mark);
        });
        mark?.addEventListener(kind, () => light(line, mark, on));
      }
      line.querySelectorAll("a.quoted, sup a").forEach((link) => link.addEventListener("click", (event) => {
        bring(mark);
        event.preventDefault();
      }));
    });
  };

  // A link into a folded part opens it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  };

  document.addEventListener("DOMContentLoaded", () => {
    tools(document);
    addEventListener("beforeprint", () => pick(null));
    addEventListener("hashchange", unfold);
    unfold();
  });

  return { recall, remember, name, move, element, button, sort, tools, pick };
})();
