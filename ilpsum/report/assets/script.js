"use strict";
(() => {
  const root = document.documentElement;
  const KEY = "ilpsum-report-colours";
  const THEMES = ["light", "dark"];
  // Without this class (no script), every sentence is open and the switches are hidden.
  root.classList.add("script");

  // Some browsers refuse storage to pages opened from a file.
  const remembered = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { /* the choice applies to this page only */ }
  };
  const paint = (theme) => {
    if (THEMES.includes(theme)) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  paint(remembered());

  const open = (button, is) => button.setAttribute("aria-expanded", String(is));

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
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, column));
      head.append(button);
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    const theme = document.getElementById("theme");
    theme.value = root.dataset.theme ?? "";
    theme.addEventListener("change", () => {
      paint(theme.value);
      remember(theme.value);
    });
    document.querySelectorAll("main table").forEach(makeSortable);
    const sentences = document.querySelectorAll(".sentences button");
    document.getElementById("topics").parentElement.addEventListener("click", (event) => {
      const button = event.target.closest(".sentences button");
      if (button) open(button, button.getAttribute("aria-expanded") !== "true");
    });
    const all = document.getElementById("all");
    all?.addEventListener("click", () => {
      const is = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(is));
      sentences.forEach((button) => open(button, is));
    });
  });
})();
