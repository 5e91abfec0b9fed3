"use strict";
// What every page with sliders does: marks below a slider, and sentences that move instead of jumping.
const ilpsum = (() => {
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

  return { name, move, ticks };
})();
