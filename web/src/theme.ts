import { createTheme, type MantineColorsTuple } from "@mantine/core";

const diamond: MantineColorsTuple = [
  "#e6f8f9",
  "#d2eef0",
  "#a6dde1",
  "#76cbd2",
  "#4fbcc5",
  "#36b2bc",
  "#1a8c96",
  "#127781",
  "#0c6871",
  "#005860",
];

export const theme = createTheme({
  colors: { diamond },
  primaryColor: "diamond",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: {
    fontWeight: "650",
    sizes: { h1: { fontSize: "1.375rem" }, h2: { fontSize: "1.0625rem" } },
  },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250 } },
    Card: { defaultProps: { withBorder: true, padding: "md" } },
    Table: { defaultProps: { verticalSpacing: 7 } },
    Badge: { defaultProps: { variant: "light", tt: "none", fw: 550 } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4, blur: 2 } } },
  },
});
