"use strict";
// What every page does: colours, switches, copying, and sentences that move instead of jumping.
const ilpsum = (() => {
  const root = document.documentElement;
  // Without this class (no script), what needs the script is hidden.
  root.classList.add("script");

  // Some browsers refuse storage to pages opened from a file: a choice then holds for this page only.
  const recall = (key) => {
    try { return localStorage.getItem(`ilpsum-${key}`); } catch { return null; }
  };
  const remember = (key, value) => {
    try { localStorage.setItem(`ilpsum-${key}`, value); } catch { /* see above */ }
  };
  const paint = (theme) => {
    if (["light", "dark"].includes(theme)) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  paint(recall("colours"));

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

  // Draw marks at positions from 0 to 1, each with the class of its colour, or none.
  const ticks = (svg, marks) => svg.replaceChildren(...marks.map(([at, colour]) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    for (const [key, value] of [["x1", 1000 * at], ["x2", 1000 * at], ["y1", 0], ["y2", 6]]) line.setAttribute(key, value);
    if (colour) line.setAttribute("class", colour);
    return line;
  }));

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

  // What can be copied of an answer: all of it with its references, or one sentence with its citation.
  const tools = (part) => {
    part.querySelectorAll("table").forEach(makeSortable);
    const copied = part.querySelector("template.copied");
    if (!copied) return;
    if (location.protocol.startsWith("http")) copied.before(button("Copy the link", (from) => copy(location.href, from)));
    copied.before(button("Copy with references", (from) => copy(copied.content.textContent, from)));
    part.querySelectorAll("[data-citation] .why").forEach((why) => {
      why.append(button("Copy with citation", (from) => copy(why.closest("[data-citation]").dataset.citation, from)));
    });
    const sources = part.querySelector("section[aria-labelledby=sources]");
    const articles = [...sources.querySelectorAll("article")];
    // A collection that says nothing of its texts cannot be ordered by it.
    if (articles.length < 2 || !articles.some(({ dataset }) => dataset.year || dataset.journal || dataset.strength)) return;
    const orders = [["as quoted", ""], ["newest first", "year"], ["strongest first", "strength"], ["by journal", "journal"]];
    const order = element("select", { id: "order" }, ...orders.map((each) => new Option(...each)));
    const label = element("label", { htmlFor: "order" }, "Order ");
    sources.querySelector("h2").after(element("p", { className: "facts" }, label, order));
    order.addEventListener("change", () => {
      const value = (article) => article.dataset[order.value] ?? "";
      // Of equals, and where nothing is known, the order of the answer.
      const compare = (a, b) => (order.value === "year" ? value(b).localeCompare(value(a))
        : !value(a) - !value(b) || value(a).localeCompare(value(b)));
      sources.append(...(order.value ? articles.toSorted(compare) : articles));
    });
  };

  // A link into a folded part opens it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  };

  document.addEventListener("DOMContentLoaded", () => {
    const theme = document.getElementById("theme");
    theme.value = root.dataset.theme ?? "";
    theme.addEventListener("change", () => {
      paint(theme.value);
      remember("colours", theme.value);
    });
    tools(document);
    addEventListener("hashchange", unfold);
    unfold();
  });

  return { recall, remember, name, move, ticks, element, button, sort, tools };
})();
