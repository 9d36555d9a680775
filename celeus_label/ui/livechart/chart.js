// A plotly figure that keeps its viewer's zoom while its data grow (see __init__.py).

// By name, so that no version of plotly adds one that sends the data elsewhere.
const BUTTONS = [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]];

let loading = null;

function plotly() {
  if (window.Plotly) return Promise.resolve(window.Plotly);
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    // Beside the page, so that an app under a path of its own finds it too.
    script.src = new URL("plotly.js", document.baseURI).href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { loading = null; reject(new Error("plotly.js can't be loaded")); };
    document.head.append(script);
  });
  return loading;
}

function themed(layout, style) {
  const ink = style.getPropertyValue("--st-text-color").trim();
  const line = style.getPropertyValue("--st-border-color").trim();
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line };
  const out = { ...layout, plot_bgcolor: "rgba(0,0,0,0)",
    paper_bgcolor: style.getPropertyValue("--st-background-color").trim(),  // a saved picture has its ground
    font: { ...layout.font, color: ink, family: style.getPropertyValue("--st-font").trim() } };
  for (const name of Object.keys(layout)) if (/^[xy]axis/.test(name)) out[name] = { ...axis, ...layout[name] };
  out.modebar = { bgcolor: "rgba(0,0,0,0)", color: style.getPropertyValue("--st-gray-color").trim(), activecolor: ink };
  out.hoverlabel = { bgcolor: style.getPropertyValue("--st-secondary-background-color").trim(), font: { color: ink }, bordercolor: line };
  return out;
}

// Colours written as var(--st-…) in a figure become the theme's.
function coloured(value, style) {
  if (typeof value === "string") return value.startsWith("var(") ? style.getPropertyValue(value.slice(4, -1)).trim() : value;
  if (Array.isArray(value)) return value.map((one) => coloured(one, style));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, style)]));
  return value;
}

export default async function ({ data, parentElement }) {
  let plot = parentElement.querySelector(".celeus-chart");
  if (!plot) {
    plot = document.createElement("div");
    plot.className = "celeus-chart";
    plot.setAttribute("role", "figure");  // an image may hold no buttons, and plotly's bar has some
    parentElement.append(plot);
  }
  plot.setAttribute("aria-label", data.label);
  plot.dataset.chart = data.chart;
  plot.style.height = `${data.height}px`;
  const Plotly = await plotly();
  const style = getComputedStyle(parentElement);
  const figure = JSON.parse(data.figure);
  await Plotly.react(plot, coloured(figure.data, style), themed(coloured(figure.layout, style), style),
    { responsive: true, displaylogo: false, modeBarButtons: BUTTONS,
      toImageButtonOptions: { format: "png", scale: 2, filename: data.label } });
  plot.dataset.ratings = figure.layout.meta?.ratings ?? "";
  return () => Plotly.purge(plot);
}
