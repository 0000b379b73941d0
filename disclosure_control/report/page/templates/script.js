"use strict";
// Moves figures that the run computed; without it the page says all the same, at the thresholds in use.
(function () {
  const data = JSON.parse(document.getElementById("what-if-data").textContent);
  const share = function (n, all) {  // as share_text: 0.0% is nobody, 100.0% everybody
    const written = (100 * n / all).toFixed(1) + "%";
    return n > 0 && written === "0.0%" ? "<0.1%" : n < all && written === "100.0%" ? ">99.9%" : written;
  };

  function thresholdSlider(curve, number) {
    const sign = curve.model === "t_closeness" ? ">" : "<";
    const name = curve.model[0] + (curve.sensitive ? " of " + curve.sensitive : "");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const output = document.createElement("output");
    input.type = "range";
    input.id = "threshold-" + number;
    input.min = 0;
    input.max = curve.thresholds.length - 1;
    input.step = 1;
    input.value = curve.thresholds.indexOf(curve.in_use);
    label.htmlFor = input.id;
    output.htmlFor = input.id;
    const show = function () {
      const threshold = curve.thresholds[input.value];
      const risky = curve.risky[input.value];
      label.textContent = "At risk where " + name + " " + sign + " " + threshold;
      const told = risky === null ? "Masked: it could disclose something about single people." :
        risky.toLocaleString("en") + " of " + curve.evaluated.toLocaleString("en") + " (" + share(risky, curve.evaluated) + ")";
      output.textContent = told;
      input.setAttribute("aria-valuetext", name + " " + sign + " " + threshold + ": " + told);
    };
    input.addEventListener("input", show);
    show();
    return [label, input, output];
  }

  function levelChoices(landscape) {
    const names = Object.keys(landscape.levels);
    const places = new Map(landscape.places.map((place) => [place[0].join(), place]));
    const outcome = document.querySelector("#levels .outcome");
    const choices = names.map(function (name, column) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.id = "level-" + column;
      label.htmlFor = select.id;
      label.textContent = name;
      landscape.levels[name].forEach(function (words, level) {
        const option = document.createElement("option");
        option.value = level;
        option.textContent = words;
        select.append(option);
      });
      if (landscape.places.length) { select.value = landscape.places[0][0][column]; }
      return [label, select];
    });
    const show = function () {
      const place = places.get(choices.map((choice) => choice[1].value).join());
      outcome.textContent = !place ? "This run did not try this combination." :
        "Loss " + place[1] + "; " + place[2].toLocaleString("en") + " of " + data.records.toLocaleString("en") + " people at risk, or left out.";
    };
    choices.forEach((choice) => choice[1].addEventListener("change", show));
    show();
    return choices.flat();
  }

  const thresholds = document.getElementById("thresholds");
  if (thresholds && data.curves.length) {
    thresholds.querySelector(".choices").append(...data.curves.flatMap(thresholdSlider));
    thresholds.hidden = false;
  }
  const levels = document.getElementById("levels");
  if (levels && data.landscape) {
    levels.querySelector(".choices").append(...levelChoices(data.landscape));
    levels.hidden = false;
  }
}());

// A button beside each line to paste; a page without a script shows the lines alone.
(function () {
  "use strict";

  for (const lines of document.querySelectorAll("pre.copy")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const range = document.createRange();
      range.selectNodeContents(lines);
      const selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      try {
        await navigator.clipboard.writeText(lines.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
    });
    lines.before(button);
  }
}());
