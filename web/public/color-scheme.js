// Runs before the first paint, so that dark mode never flashes white. A file, since the page allows no inline script.
(() => {
  const saved = localStorage.getItem("mantine-color-scheme-value");
  const dark = saved === "dark" || (saved !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
