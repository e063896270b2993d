// Steps through the runs of a page. Each section of class `run` has its data in a block of JSON:
// names of threads and cells, rows, and for each row what it changed. Texts are only ever set as text.
"use strict";

function stepper(section) {
  const data = JSON.parse(section.querySelector("script.data").textContent);
  const find = (name) => section.querySelector("." + name);
  const [slider, now, buffers, memory] = ["slider", "now-text", "buffers", "memory"].map(find);
  const sources = new Map([...section.querySelectorAll(".source")].map((e) => [Number(e.dataset.file), e]));
  const last = data.rows.length;
  let at = last;

  // What holds after the first `row` rows: later changes write over earlier ones.
  function state(row) {
    const memory = new Map(), buffers = new Map(), places = new Map();
    for (const change of data.changes.slice(0, row + 1)) {
      for (const [cell, value] of change.memory) memory.set(cell, value);
      for (const [thread, entries] of change.buffers) buffers.set(thread, entries);
      for (const [thread, file, line] of change.places) places.set(thread, [file, line]);
    }
    return { memory, buffers, places };
  }

  function element(name, text, className) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  }

  function fill(body, rows) {
    body.replaceChildren(...rows.map(([head, cells, changed]) => {
      const row = element("tr", undefined, changed ? "changed" : "");
      const th = element("th", head);
      th.scope = "row";
      const td = element("td");
      td.append(...cells);
      row.append(th, td);
      return row;
    }));
  }

  // The row's band behind the steps, and what has not happened yet paler.
  function draw(svg) {
    for (const part of svg.querySelectorAll("[data-row]")) {
      const row = Number(part.dataset.row);
      part.classList.toggle("later", row >= at);
      part.classList.toggle("now", row === at - 1);
    }
    let band = svg.querySelector(".cursor");
    if (!band) {
      band = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      band.setAttribute("class", "cursor");
      band.setAttribute("x", "0");
      band.setAttribute("width", "100%");
      [...svg.querySelectorAll(".lane")].at(-1)?.after(band);
    }
    const chip = svg.querySelector(`.step[data-row="${at - 1}"] rect`);
    band.setAttribute("visibility", chip ? "visible" : "hidden");
    if (!chip) return;
    const y = Number(chip.getAttribute("y")), height = Number(chip.getAttribute("height"));
    band.setAttribute("y", y - 4);
    band.setAttribute("height", height + 8);
    const box = svg.parentElement;
    if (!svg.getClientRects().length) return;
    if (box.scrollHeight > box.clientHeight + 4) box.scrollTop = y - box.clientHeight / 2;
    const x = Number(chip.getAttribute("x")), right = x + Number(chip.getAttribute("width"));
    if (x < box.scrollLeft || right > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.max(0, x - 40);
  }

  function show(row) {
    at = Math.max(0, Math.min(last, row));
    slider.value = String(at);
    const text = at === 0 ? "Before the first step" : data.rows[at - 1].text;
    slider.setAttribute("aria-valuetext", text);
    now.textContent = at === 0 ? text : `${at} of ${last}: ${text}`;
    section.dataset.at = String(at);
    section.querySelectorAll(".stepped svg.drawing").forEach(draw);
    const after = state(at), change = data.changes[at];
    const changed = (list, id) => at > 0 && list.some(([other]) => other === id);
    fill(memory, data.cells.map((name, i) => [name, [after.memory.get(i) ?? "–"], changed(change.memory, i)]));
    fill(buffers, data.threads.map((name, i) => {
      const entries = after.buffers.get(i) ?? [];
      const shown = entries.length ? entries.map((e) => element("span", e, "entry")) : ["empty"];
      return [name, shown, changed(change.buffers, i)];
    }));
    for (const source of sources.values()) {
      source.querySelectorAll(".here").forEach((l) => l.classList.remove("here"));
      source.querySelectorAll(".w").forEach((w) => { if (w.textContent) w.textContent = ""; });
    }
    const runs = at > 0 ? data.rows[at - 1].thread : -1;
    for (const [thread, [file, line]] of after.places) {
      const source = sources.get(file), where = source?.children[line - 1];
      if (!where) continue;
      const mark = where.querySelector(".w"), name = data.threads[thread];
      mark.title = where.classList.contains("here") ? `${mark.title}, ${name}` : name;
      const others = mark.title.split(", ").length - 1;
      mark.textContent = "▸" + (others ? `${mark.title.split(", ")[0]} +${others}` : name);
      where.classList.add("here");
      if (thread === runs || at === 0) source.scrollTop = where.offsetTop - source.clientHeight / 2;
    }
  }

  slider.max = String(last);
  slider.addEventListener("input", () => show(Number(slider.value)));
  find("back").addEventListener("click", () => show(at - 1));
  find("on").addEventListener("click", () => show(at + 1));
  section.querySelectorAll(".stepped .step").forEach((step) =>
    step.addEventListener("click", () => show(Number(step.dataset.row) + 1)));
  const toggle = find("toggle"), beside = find("beside");
  toggle?.addEventListener("click", () => {
    beside.hidden = !beside.hidden;
    section.classList.toggle("compared", !beside.hidden);
    toggle.setAttribute("aria-expanded", String(!beside.hidden));
    toggle.textContent = beside.hidden ? "Show the SC run beside it" : "Hide the SC run";
  });
  show(last);
  // A long drawing opens where the first reordering is.
  for (const svg of section.querySelectorAll(".stepped svg.drawing")) {
    const first = svg.querySelector(".chip.weak");
    if (!first || !svg.getClientRects().length) continue;
    svg.parentElement.scrollTop = Math.max(0, Number(first.getAttribute("y")) - 120);
    svg.parentElement.scrollLeft = Math.max(0, Number(first.getAttribute("x")) - 40);
  }
  return { show, at: () => at, last };
}

const steppers = [...document.querySelectorAll("section.run")].map((section) => {
  const it = stepper(section);
  section.addEventListener("pointerdown", () => { current = it; });
  section.addEventListener("focusin", () => { current = it; });
  return it;
});
let current = steppers[0];

document.addEventListener("keydown", (event) => {
  if (!current || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, summary")) return;
  // A box that scrolls sideways keeps the keys for it.
  const to = { ArrowRight: current.at() + 1, ArrowLeft: current.at() - 1, Home: 0, End: current.last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  current.show(to);
});
