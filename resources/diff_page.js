"use strict";
// Without this script every row is shown; with it, tables can be searched and narrowed by kind.
for (const section of document.querySelectorAll("section[data-table]")) {
  const bar = section.querySelector(".filter");
  if (!bar) continue;
  const search = bar.querySelector("input[type=search]");
  const boxes = [...bar.querySelectorAll("input[type=checkbox]")];
  const shown = bar.querySelector("output");
  const rows = [...section.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let count = 0;
    rows.forEach((row, i) => {
      row.hidden = !kinds.has(row.dataset.kind) || !words.every((word) => texts[i].includes(word));
      if (!row.hidden) count += 1;
    });
    shown.textContent = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  };
  search.addEventListener("input", narrow);
  for (const box of boxes) box.addEventListener("change", narrow);
  bar.hidden = false;
  narrow();
}
