// Draws the data of the page into its elements with data-chart. Each kind of chart is a function of
// `charts`, which gets the element; charts are drawn again when the colours or the width change.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name);
  const lines = ["one", "two", "three", "good", "warn", "bad"];

  const axis = (more) => ({stroke: colour("soft"), grid: {stroke: colour("line"), width: 1},
    ticks: {stroke: colour("line")}, ...more});
  const percent = (ratio) => (ratio >= 1 ? "+" : "") + ((ratio - 1) * 100).toFixed(1) + " %";

  // Few round numbers between two: 1, 2 and 5 times powers of ten, or steps of them.
  function roundTicks(min, max) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); ++power)
      for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
    const within = ticks.filter((tick) => tick >= min && tick <= max);
    if (within.length > 8) return within.filter((tick) => /^1/.test(String(tick)));
    if (within.length > 2) return within;
    const rough = (max - min) / 5, unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((digit) => digit * unit >= rough);
    const steps = [];
    for (let tick = Math.ceil(min / step) * step; tick <= max; tick += step) steps.push(tick);
    return steps;
  }

  function plot(element, options, values) {
    element.textContent = "";
    return new uPlot({width: Math.max(280, element.clientWidth - 20), height: 260,
      cursor: {points: {size: 7}}, ...options}, values, element);
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

  function drawTrend(element, trend, note) {
    const runs = trend.points.map((point) => data.runs[point[0]]);
    const x = runs.map((run) => run.time);
    const values = trend.points.map((point) => point[1]);
    const steps = trend.steps.map((step) => {
      const after = data.runs[step.after].time, before = data.runs[step.before].time;
      return {x: (after + before) / 2, worse: step.worse};
    });
    const label = {base: "over the base build", yardstick: "over the yardstick", value: trend.unit}[trend.of];
    plot(element, {
      scales: {x: {time: true}},
      axes: [axis(), axis({size: 70})],
      series: [{label: "night"},
        {label: trend.metric + (label ? " (" + label + ")" : ""), stroke: colour("one"), width: 1,
          points: {show: true, size: 6, fill: colour("one")}},
        {label: "mean of the group", stroke: colour("two"), width: 2, points: {show: false}}],
      hooks: {
        draw: [drawSteps(steps)],
        setCursor: [(u) => {
          const run = u.cursor.idx == null ? null : runs[u.cursor.idx];
          note.textContent = run ? run.date + ", commit " + run.commit : "";
        }],
      },
    }, [x, values, trend.means]);
  }

  const charts = {
    // The trend of the metric that the select beside it names.
    trend(element) {
      const select = document.getElementById("metric");
      const first = data.trends.findIndex((trend) => trend.steps.length > 0);
      if (first >= 0 && !element.dataset.drawn) select.value = String(first);
      element.dataset.drawn = "yes";
      const note = document.getElementById("trend-note");
      const draw = () => drawTrend(element, data.trends[Number(select.value)], note);
      select.onchange = draw;
      document.getElementById("filter").oninput = (event) => {
        const words = event.target.value.toLowerCase().split(/\s+/);
        for (const option of select.options) {
          const text = option.textContent.toLowerCase();
          option.hidden = !words.every((word) => text.includes(word));
        }
        const match = [...select.options].find((option) => !option.hidden);
        if (match && select.selectedOptions[0].hidden) { select.value = match.value; draw(); }
      };
      for (const link of document.querySelectorAll("[data-trend]"))
        link.onclick = () => { select.value = link.dataset.trend; draw(); };
      draw();
    },

    // Each overlay over the routed pods of the same case, night by night.
    ratios(element) {
      const chosen = data.ratios[Number(element.dataset.index)];
      const x = chosen.runs.map((run) => data.runs[run].time);
      plot(element, {
        scales: {x: {time: true}, y: {range: (u, min, max) => [Math.min(min, 0.95), Math.max(max, 1.02)]}},
        axes: [axis(), axis({size: 60, values: (u, ticks) => ticks.map(percent)})],
        series: [{label: "night"}, ...chosen.lines.map((line, i) => ({label: line.label,
          stroke: colour(lines[i % lines.length]), width: 2, points: {show: true, size: 5},
          value: (u, ratio) => ratio == null ? "" : percent(ratio)}))],
      }, [x, ...chosen.lines.map((line) => line.ratios)]);
    },

    // Throughput of each variant over time, with a line at each event.
    series(element) {
      const chosen = data.series[Number(element.dataset.index)];
      const x = [...new Set(chosen.lines.flatMap((line) => line.end_ns))].sort((a, b) => a - b);
      const values = chosen.lines.map((line) => {
        const at = new Map(line.end_ns.map((end, i) => [end, line.bps[i]]));
        return x.map((end) => at.has(end) ? at.get(end) / 1e6 : null);
      });
      plot(element, {
        scales: {x: {time: false}, y: {range: (u, min, max) => [0, max * 1.05 || 1]}},
        axes: [axis({values: (u, ticks) => ticks.map((tick) => tick + " s")}),
          axis({size: 90, values: (u, ticks) => ticks.map((tick) => tick + " Mbit/s")})],
        series: [{label: "time", value: (u, s) => s == null ? "" : s.toFixed(3) + " s"},
          ...chosen.lines.map((line, i) => ({label: line.name, stroke: colour(lines[i % lines.length]),
            width: 2, points: {show: false},
            value: (u, rate) => rate == null ? "" : rate.toFixed(1) + " Mbit/s"}))],
        hooks: {draw: [drawSteps(chosen.events.flatMap((event) => [
          {x: event.at_ns / 1e9, worse: true},
          ...(event.until_ns == null ? [] : [{x: event.until_ns / 1e9, worse: false}])]))]},
      }, [x.map((end) => end / 1e9), ...values]);
    },

    // The share of packets that took at most as long, for each variant.
    latency(element) {
      const chosen = data.latency[Number(element.dataset.index)];
      const x = [...new Set(chosen.variants.flatMap((variant) => variant.us))].sort((a, b) => a - b);
      const shares = chosen.variants.map((variant) => {
        const at = new Map(variant.us.map((end, i) => [end, variant.shares[i]]));
        let share = 0;
        return x.map((end) => (share = at.has(end) ? at.get(end) : share));
      });
      plot(element, {
        scales: {x: {time: false, distr: 3, range: (u, min, max) => [min / 1.2, max * 1.2]},
          y: {range: [0, 1]}},
        axes: [axis({splits: (u, index, min, max) => roundTicks(min, max), filter: (u, ticks) => ticks,
          values: (u, ticks) => ticks.map((tick) => Number(tick.toPrecision(3)) + " µs")}),
          axis({size: 60, values: (u, ticks) => ticks.map((tick) => (tick * 100).toFixed(0) + " %")})],
        series: [{label: "latency", value: (u, us) => us == null ? "" : us.toFixed(1) + " µs"},
          ...chosen.variants.map((variant, i) => ({label: variant.name,
            stroke: colour(lines[i % lines.length]), width: 2, paths: uPlot.paths.stepped({align: 1}),
            points: {show: false},
            value: (u, share) => share == null ? "" : (share * 100).toFixed(1) + " %"}))],
      }, [x, ...shares]);
    },
  };

  const drawAll = () => {
    for (const element of document.querySelectorAll("[data-chart]"))
      charts[element.dataset.chart](element);
  };
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawAll, 150); });
})();
