// A button that saves the picture of a chart on the same page; unlike the camera in its corner it takes the keyboard.

export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "celeus-save";
    parentElement.append(button);
  }
  button.textContent = data.text;
  button.onclick = () => {
    const plot = document.querySelector(`.celeus-chart[data-chart="${CSS.escape(data.chart)}"]`);
    if (!plot || !window.Plotly) return;
    window.Plotly.downloadImage(plot, { format: "png", scale: 2, filename: plot.getAttribute("aria-label"),
      width: plot.clientWidth, height: plot.clientHeight });
  };
}
