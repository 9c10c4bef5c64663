// Draws the data of the page into its elements with data-chart, and moves through the course of a
// switch (data.replay). Each kind of chart is a function of `charts`, which gets the element; charts
// are drawn again when the colours or the width change. A page without its script lacks the charts
// that have a table beside them, and the movement.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [12, 3, 2, 3, 2]];

  const axis = (more) => ({stroke: colour("soft"), grid: {stroke: colour("line"), width: 1},
    ticks: {stroke: colour("line")}, ...more});
  const percent = (ratio) => (ratio >= 1 ? "+" : "") + ((ratio - 1) * 100).toFixed(1) + " %";
  const plain = (number) => String(Number(number.toPrecision(3)));

  // The unit of a list of [name, size] in which the largest value has few digits.
  const unitOf = (units, largest) => [...units].reverse().find((unit) => largest >= unit[1]) ?? units[0];
  const latencyUnits = [["µs", 1], ["ms", 1e3], ["s", 1e6]];
  const timeUnits = [["s", 1], ["min", 600], ["h", 10800]];
  const rateUnits = [["bit/s", 1], ["kbit/s", 1e3], ["Mbit/s", 1e6], ["Gbit/s", 1e9]];
  const timeSizes = {s: 1, min: 60, h: 3600};

  const line = (name, slot, more) => ({label: name, stroke: colour("v" + slot), width: 2,
    dash: dashes[slot % dashes.length], points: {show: false}, ...more});

  // The values at the pointer go to the note below the chart: `describe` gets their index.
  function plot(element, options, values, describe) {
    const note = element.closest("figure").querySelector(".note");
    element.textContent = "";
    const hooks = options.hooks ?? {};
    return new uPlot({height: 240, cursor: {points: {size: 7}, y: false}, legend: {show: false},
      ...options, width: Math.max(200, element.clientWidth - 16),
      hooks: {...hooks, setCursor: [(u) => {
        note.textContent = u.cursor.idx == null ? "" : describe(u.cursor.idx);
      }]}}, values, element);
  }

  // A vertical line at each step, in the colour of its effect.
  function drawSteps(steps) {
    return (u) => {
      for (const step of steps) {
        const x = u.valToPos(step.x, "x", true);
        u.ctx.save();
        u.ctx.strokeStyle = colour(step.worse ? "bad" : "good");
        u.ctx.setLineDash([5, 4]);
        u.ctx.beginPath();
        u.ctx.moveTo(x, u.bbox.top);
        u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
        u.ctx.stroke();
        u.ctx.restore();
      }
    };
  }

  // One night has no width of its own: the axis shows a day around it.
  const nights = {time: true, range: (u, min, max) => {
    const [first, last] = [u.data[0][0], u.data[0].at(-1)];
    return first === last ? [first - 43200, first + 43200] : [min, max];
  }};
  const compact = new Intl.NumberFormat("en", {notation: "compact", maximumSignificantDigits: 4});

  function drawTrend(element, trend) {
    const runs = trend.points.map((point) => data.runs[point[0]]);
    const values = trend.points.map((point) => point[1]);
    const steps = trend.steps.map((step) => {
      const after = data.runs[step.after].time, before = data.runs[step.before].time;
      return {x: (after + before) / 2, worse: step.worse};
    });
    const label = {base: "over the base build", yardstick: "over the yardstick", value: trend.unit}[trend.of];
    document.getElementById("trend-name").textContent =
      trend.case + ": " + trend.metric + (label ? " (" + label + ")" : "");
    plot(element, {
      scales: {x: nights},
      axes: [axis(), axis({size: 60, values: (u, ticks) => ticks.map((tick) => compact.format(tick))})],
      series: [{label: "night"},
        {label: trend.metric, stroke: colour("v0"), width: 1, points: {show: true, size: 6, fill: colour("v0")}},
        {label: "mean of the group", stroke: colour("v1"), width: 2, dash: [8, 4], points: {show: false}}],
      hooks: {draw: [drawSteps(steps)]},
    }, [runs.map((run) => run.time), values, trend.means],
    (at) => runs[at].date + ", commit " + runs[at].commit + ": " + plain(values[at]));
  }

  const charts = {
    // The trend of the metric that the select beside it names; the address names it, too.
    trend(element) {
      const select = document.getElementById("metric");
      const names = data.trends.map((trend) => trend.case + "/" + trend.metric);
      if (!element.dataset.drawn) {
        const linked = names.indexOf(decodeURIComponent(location.hash.slice(1)).replace(/^trend=/, ""));
        if (linked >= 0) select.value = String(linked);
      }
      element.dataset.drawn = "yes";
      const draw = () => drawTrend(element, data.trends[Number(select.value)]);
      const choose = (number) => {
        select.value = number;
        history.replaceState(null, "", "#trend=" + encodeURIComponent(names[Number(number)]));
        draw();
      };
      select.onchange = () => choose(select.value);
      document.getElementById("filter").oninput = (event) => {
        const words = event.target.value.toLowerCase().split(/\s+/);
        for (const option of select.options) {
          const text = option.textContent.toLowerCase();
          option.hidden = !words.every((word) => text.includes(word));
        }
        const match = [...select.options].find((option) => !option.hidden);
        if (match && select.selectedOptions[0].hidden) choose(match.value);
      };
      for (const link of document.querySelectorAll("[data-trend]"))
        link.onclick = (event) => {
          event.preventDefault();
          choose(link.dataset.trend);
          document.getElementById("trend-name").scrollIntoView({block: "center"});
        };
      draw();
    },

    // Each overlay over the routed pods of the same case and traffic, night by night.
    ratios(element) {
      const chosen = data.ratios[Number(element.dataset.index)];
      plot(element, {
        height: 180,
        scales: {x: nights, y: {range: (u, min, max) => [Math.min(min, 0.95), Math.max(max, 1.02)]}},
        axes: [axis(), axis({size: 60, values: (u, ticks) => ticks.map(percent)})],
        series: [{label: "night"}, ...chosen.lines.map((one) => line(one.name, one.slot, {points: {show: true, size: 5}}))],
      }, [chosen.runs.map((run) => data.runs[run].time), ...chosen.lines.map((one) => one.ratios)],
      (at) => data.runs[chosen.runs[at]].date + ": " + chosen.lines.map((one) =>
        one.name + " " + (one.ratios[at] == null ? "–" : percent(one.ratios[at]))).join(", "));
    },

    // Throughput of each variant over time, with a line at each event.
    series(element) {
      const chosen = data.series[Number(element.dataset.index)];
      const x = [...new Set(chosen.lines.flatMap((one) => one.end_ns))].sort((a, b) => a - b);
      const [unit] = unitOf(timeUnits, (x.at(-1) ?? 0) / 1e9), size = timeSizes[unit];
      const [rate, bits] = unitOf(rateUnits, Math.max(...chosen.lines.flatMap((one) => one.bps)));
      const values = chosen.lines.map((one) => {
        const at = new Map(one.end_ns.map((end, i) => [end, one.bps[i]]));
        return x.map((end) => at.has(end) ? at.get(end) / bits : null);
      });
      const toUnit = (ns) => ns / 1e9 / size;
      plot(element, {
        scales: {x: {time: false}, y: {range: (u, min, max) => [0, max * 1.05 || 1]}},
        axes: [axis({values: (u, ticks) => ticks.map((tick) => tick + " " + unit)}),
          axis({size: 90, values: (u, ticks) => ticks.map((tick) => tick + " " + rate)})],
        series: [{label: "time"}, ...chosen.lines.map((one) => line(one.name, one.slot))],
        hooks: {draw: [drawSteps(chosen.events.flatMap((event) => [
          {x: toUnit(event.at_ns), worse: true},
          ...(event.until_ns == null ? [] : [{x: toUnit(event.until_ns), worse: false}])]))]},
      }, [x.map(toUnit), ...values],
      (at) => plain(toUnit(x[at])) + " " + unit + ": " + chosen.lines.map((one, i) =>
        one.name + " " + (values[i][at] == null ? "–" : plain(values[i][at]) + " " + rate)).join(", "));
    },

    // The latency that a share of the packets does not exceed. The axis of shares is logarithmic in
    // what is left: 90, 99 and 99.9 % have equal distances.
    latency(element) {
      const chosen = data.latency[Number(element.dataset.index)];
      const place = (share) => -Math.log10(1 - share);
      const shares = [...new Set(chosen.variants.flatMap((one) => one.shares))].sort((a, b) => a - b);
      const all = chosen.variants.flatMap((one) => one.us);
      const most = Math.max(...all), least = Math.min(...all);
      const [unit, size] = unitOf(latencyUnits, most);
      const values = chosen.variants.map((one) => {
        const at = new Map(one.shares.map((share, i) => [share, one.us[i]]));
        return shares.map((share) => at.has(share) ? at.get(share) / size : null);
      });
      const marked = [0.5, 0.9, 0.99, 0.999, 0.9999];
      const isWide = most > 20 * least;
      const percentiles = (u) => {  // A dot on each line at the marked shares.
        for (const [i, one] of chosen.variants.entries())
          for (const share of marked) {
            const at = one.shares.findIndex((known) => Math.abs(known - share) < 1e-9);
            if (at < 0) continue;
            u.ctx.fillStyle = colour("v" + one.slot);
            u.ctx.beginPath();
            u.ctx.arc(u.valToPos(place(share), "x", true),
              u.valToPos(one.us[at] / size, "y", true), 3.5 * devicePixelRatio, 0, 7);
            u.ctx.fill();
          }
      };
      plot(element, {
        scales: {x: {time: false, range: (u, min, max) => [0, Math.max(1, max) + 0.15]},
          y: isWide ? {distr: 3} : {range: (u, min, max) => [0, max * 1.1]}},
        axes: [axis({size: 34, splits: (u, side, least, most) => marked.map(place).filter((at) => at <= most), filter: (u, ticks) => ticks,
          values: (u, ticks) => ticks.map((tick, i) => Number((marked[i] * 100).toFixed(2)) + " %")}),
        axis({size: 70, values: (u, ticks) => ticks.map((tick) => tick == null ? "" : plain(tick) + " " + unit),
          grid: {stroke: colour("line"), width: 1, filter: (u, ticks) => ticks.map((tick) =>
            isWide && !Number.isInteger(Number(Math.log10(tick).toFixed(6))) ? null : tick)}})],
        series: [{label: "share"}, ...chosen.variants.map((one) => line(one.name, one.slot))],
        hooks: {draw: [percentiles]},
      }, [shares.map(place), ...values],
      (at) => Number((shares[at] * 100).toFixed(3)) + " %: " + chosen.variants.map((one, i) =>
        one.name + " " + (values[i][at] == null ? "–" : plain(values[i][at]) + " " + unit)).join(", "));
    },
  };

  // Moves through the course of a switch. The slider's place is a time in milliseconds; its arrow
  // keys go from change to change.
  function startReplay(replay) {
    const find = (name) => document.getElementById("replay-" + name);
    const element = (name, text, more) => Object.assign(document.createElement(name), {textContent: text, ...more});
    const slider = find("time"), stateChoice = find("state");
    const text = (number) => replay.texts[number];
    const seconds = (ms) => {
      if (ms < 120e3) return (ms / 1000).toFixed(1) + " s";  // The rule of report::elapsed_text.
      const whole = Math.round(ms / 1000);
      return whole < 7200 ? Math.floor(whole / 60) + " min" + (whole % 60 ? " " + whole % 60 + " s" : "")
        : Math.floor(whole / 3600) + " h " + Math.floor(whole % 3600 / 60) + " min";
    };
    const lasts = (begin, end, at) => begin <= at && (end == null || at < end);
    let course, moments, marker, buttons;

    // The changes of a state at a time, as [sign, line]: lines that end or begin then.
    function changesOf(state, at) {
      const changes = [];
      for (const [number, ...times] of state.lines)
        for (let i = 0; i < times.length; i += 2) {
          if (times[i + 1] === at) changes.push(["-", text(number)]);
          if (times[i] === at && at > 0) changes.push(["+", text(number)]);
        }
      return changes;
    }

    function showState(at, since) {
      const state = course.states[Number(stateChoice.value)], lines = find("lines");
      lines.textContent = "";
      const isRoute = (line) => /^(default|[0-9a-f:.]+\/\d+|local|unreachable|blackhole|table) /.test(line) || / (via|dev|->) /.test(line);
      for (const [number, ...times] of state?.lines ?? []) {
        if (find("routes").checked && !isRoute(text(number))) continue;
        for (let i = 0; i < times.length; i += 2) {
          if (!lasts(times[i], times[i + 1], at)) continue;
          const isNew = times[i] === since && since > 0;
          lines.append(element(isNew ? "ins" : "span", (isNew ? "+ " : "  ") + text(number) + "\n"));
        }
      }
      if (!lines.textContent) lines.textContent = "(nothing)";
    }

    function showPairs(cut) {
      const place = find("pairs"), nodes = replay.nodes;
      place.textContent = "";
      if (nodes.length <= 16) {
        const table = element("table", "", {className: "matrix"});
        table.append(element("caption", "Rows send, columns receive; ✕ is interrupted."));
        const head = table.createTHead().insertRow();
        head.append(element("td", ""), ...nodes.map((name) => element("th", name.replace(/^node-/, ""), {scope: "col", title: name})));
        const body = table.createTBody();
        nodes.forEach((name, from) => {
          const row = body.insertRow();
          row.append(element("th", name, {scope: "row"}));
          nodes.forEach((_, to) => {
            const found = cut.find((one) => one[0] === from && one[1] === to);
            row.append(element("td", from === to ? "" : found ? "✕" : "·",
              {className: found ? "cut" : "", title: found ? text(found[4]) : ""}));
          });
        });
        place.append(table);
      }
      const reasons = new Map();
      for (const one of cut) reasons.set(one[4], (reasons.get(one[4]) ?? 0) + 1);
      const list = element("ul", "");
      for (const [reason, count] of reasons) list.append(element("li", text(reason) + ": " + count));
      if (nodes.length > 16)
        for (const one of cut.slice(0, 50))
          list.append(element("li", nodes[one[0]] + " → " + nodes[one[1]] + ": " + text(one[4])));
      if (nodes.length > 16 && cut.length > 50) list.append(element("li", "and " + (cut.length - 50) + " more"));
      if (list.childElementCount > 0) place.append(list);
      else if (nodes.length > 16) place.append(element("p", "No pair of nodes is interrupted."));
    }

    function show() {
      const at = Number(slider.value);
      const since = moments.findLast((moment) => moment <= at) ?? 0;
      const cut = course.outages.filter((one) => lasts(one[2], one[3], at));
      const done = course.steps.filter((step) => step[0] <= at);
      const last = done.filter((step) => step[0] === done.at(-1)[0]);
      slider.setAttribute("aria-valuetext", seconds(at));
      // Both directions of two nodes are one pair, as in the tables.
      const pairs = replay.nodes.length * (replay.nodes.length - 1) / 2;
      const cutPairs = new Set(cut.map(([from, to]) => Math.min(from, to) + "-" + Math.max(from, to))).size;
      find("summary").textContent = seconds(at) + " after the change of the Shoot: " + cutPairs + " of " +
        pairs + " pairs of nodes are interrupted. " + (last.length === 0 ? "No component has acted yet."
          : "Last step, at " + seconds(last[0][0]) + ": " +
            last.slice(0, 3).map((step) => text(step[1]) + ": " + text(step[2])).join("; ") +
            (last.length > 3 ? "; and " + (last.length - 3) + " more" : "") + ".");
      showPairs(cut);
      showState(at, since);
      const diff = find("diff");
      diff.textContent = "";
      for (const state of course.states) {
        const changes = changesOf(state, since);
        if (changes.length > 0) diff.append(element("b", state.name + ", at " + seconds(since) + "\n"));
        changes.sort(([a], [b]) => (a === "+") - (b === "+"));
        for (const [sign, line] of changes.slice(0, 60))
          diff.append(element(sign === "+" ? "ins" : "del", sign + " " + line + "\n"));
        if (changes.length > 60) diff.append("and " + (changes.length - 60) + " more lines\n");
      }
      if (!diff.textContent)
        diff.textContent = "Nothing changes at " + seconds(since) + " in the states that this page has.";
      buttons.forEach((button, i) => {
        if (last.includes(course.steps[i])) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      if (!marker) return;
      const {left, width, begin, end} = marker.closest(".timeline").dataset;
      const x = Number(left) + Number(width) * Math.min(1, (at / 1000 - begin) / (end - begin));
      marker.setAttribute("x1", x);
      marker.setAttribute("x2", x);
      reachByKeyboard();
    }

    // Goes to a time. The state that is shown is one that changes then.
    const go = (at) => {
      const since = moments.findLast((moment) => moment <= at) ?? 0;
      const isChanged = (state) => changesOf(state, since).length > 0;
      const shown = course.states[Number(stateChoice.value)];
      const changed = course.states.findIndex(isChanged);
      if (changed >= 0 && !(shown && isChanged(shown))) stateChoice.value = String(changed);
      slider.value = String(at);
      show();
    };
    const goOn = () => go(moments.find((moment) => moment > Number(slider.value)) ?? course.end);
    const goBack = () => go(moments.findLast((moment) => moment < Number(slider.value)) ?? 0);

    function choose() {
      course = replay.courses[Number(find("course").value)];
      moments = [...new Set([0, ...course.steps.map((step) => step[0]),
        ...course.outages.flatMap((one) => [one[2], one[3]]),
        ...course.states.flatMap((state) => state.lines.flatMap((line) => line.slice(1)))])]
        .filter((moment) => moment != null).sort((a, b) => a - b);
      const original = [...document.querySelectorAll("main details svg")]
        .find((svg) => svg.querySelector("title").textContent === course.title);
      const chart = find("chart");
      chart.textContent = "";
      marker = null;
      if (original) {
        const svg = original.cloneNode(true);
        chart.append(svg);
        const lines = svg.querySelector(".timeline");
        marker = document.createElementNS(svg.namespaceURI, "line");
        marker.setAttribute("class", "now");
        marker.setAttribute("y1", 48);
        marker.setAttribute("y2", svg.viewBox.baseVal.height - 30);
        lines.append(marker);
        svg.onclick = (event) => {
          const step = event.target.closest(".step");
          if (step) return go(Number(step.dataset.at));
          const {left, width, begin, end} = lines.dataset;
          const box = svg.getBoundingClientRect();
          const x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width - left;
          if (x >= 0 && x <= width) go(Math.round((Number(begin) + x / width * (end - begin)) * 1000));
        };
      }
      slider.max = String(course.end);
      stateChoice.textContent = "";
      course.states.forEach((state, i) => stateChoice.append(element("option", state.name, {value: String(i)})));
      const steps = find("steps");
      steps.textContent = "";
      buttons = course.steps.map((step) => {
        const button = element("button", seconds(step[0]) + "  " + text(step[1]) + ": " + text(step[2]), {type: "button"});
        button.onclick = () => go(step[0]);
        const item = element("li", "");
        item.append(button);
        steps.append(item);
        return button;
      });
      const leftOut = find("left-out");
      leftOut.textContent = "";
      for (const sentence of course.left_out) leftOut.append(element("li", sentence));
      // The first interruption is the best place to begin; without one, the first change of a state.
      const changes = course.states.flatMap((state) => state.lines.map((one) => one[1])).filter((at) => at > 0);
      const begins = course.outages.length > 0 ? course.outages.map((one) => one[2]) : changes;
      go(begins.reduce((least, at) => Math.min(least, at), Infinity) === Infinity ? course.steps[0]?.[0] ?? 0
        : begins.reduce((least, at) => Math.min(least, at)));
    }

    find("course").onchange = choose;
    slider.oninput = () => go(Number(slider.value));
    slider.onkeydown = (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      event.preventDefault();
      if (event.key === "ArrowRight") goOn(); else goBack();
    };
    find("on").onclick = goOn;
    find("back").onclick = goBack;
    stateChoice.onchange = show;
    find("routes").onchange = show;
    document.getElementById("replay").hidden = false;
    choose();
  }

  // The keyboard must reach what can be scrolled.
  function reachByKeyboard() {
    for (const region of document.querySelectorAll(".wide, .steps, .state, pre")) {
      const scrolls = region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
      if (scrolls) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
  }

  const drawAll = () => {
    for (const element of document.querySelectorAll("[data-chart]"))
      charts[element.dataset.chart](element);
    reachByKeyboard();
  };
  if (data.replay) startReplay(data.replay);
  drawAll();
  // A chart in a folded part has no width before it is unfolded.
  for (const part of document.querySelectorAll("details")) part.addEventListener("toggle", drawAll);
  const verdicts = document.getElementById("verdicts");
  if (verdicts)
    verdicts.onchange = () => {
      for (const row of document.querySelectorAll("#tonight tbody tr"))
        row.hidden = verdicts.value !== "" && row.querySelector("th").textContent !== verdicts.value;
    };
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", drawAll);
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawAll, 150); });
})();
