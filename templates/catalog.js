// Sorting and filtering of the catalog's table. The table reads without it.
(function () {
  "use strict";
  const table = document.querySelector("table.ibc-catalog");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);

  function value(row, column, kind) {
    const cell = row.cells[column];
    if (kind !== "number") return cell.textContent.trim().toLowerCase();
    return Number(cell.dataset.value);
  }

  function sort(column, descending) {
    const kind = heads[column].dataset.sort;
    rows.sort(function (a, b) {
      const x = value(a, column, kind);
      const y = value(b, column, kind);
      const order = kind === "number" ? x - y : x.localeCompare(y);
      return descending ? -order : order;
    });
    rows.forEach(function (row) { body.appendChild(row); });
    heads.forEach(function (head, index) {
      if (!head.dataset.sort) return;
      head.setAttribute("aria-sort", index === column ? (descending ? "descending" : "ascending") : "none");
    });
  }

  heads.forEach(function (head, column) {
    if (!head.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ibc-sort";
    button.textContent = head.textContent;
    button.addEventListener("click", function () {
      sort(column, head.getAttribute("aria-sort") === "ascending");
    });
    head.textContent = "";
    head.appendChild(button);
    head.setAttribute("aria-sort", "none");
  });

  const label = document.createElement("label");
  label.className = "ibc-filter";
  label.textContent = "Filter ";
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "task, family";
  label.appendChild(field);
  const count = document.createElement("output");
  count.className = "ibc-muted";
  label.appendChild(count);
  table.parentElement.before(label);

  function filter() {
    const wanted = field.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach(function (row) {
      row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    });
    count.textContent = " " + shown + " of " + rows.length;
    const address = new URL(window.location.href);
    if (wanted) address.searchParams.set("task", field.value.trim());
    else address.searchParams.delete("task");
    // a page opened from disk may not be allowed to change its address
    try { window.history.replaceState(null, "", address); } catch (error) { /* the filter works without */ }
  }

  field.value = new URL(window.location.href).searchParams.get("task") || "";
  field.addEventListener("input", filter);
  filter();
})();
