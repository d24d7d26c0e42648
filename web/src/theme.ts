import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

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

/** The library's red, a shade darker from the middle on, for white text on buttons. */
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#ff8787",
  "#fa5252",
  "#e03131",
  "#c92a2a",
  "#b42318",
  "#96190f",
];

export const theme = createTheme({
  colors: { diamond, red },
  primaryColor: "diamond",
  primaryShade: 7,
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
    // Its empty first item, which takes the focus, is not valid inside a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Card: { defaultProps: { withBorder: true, padding: "md" } },
    Table: { defaultProps: { verticalSpacing: 7 } },
    Badge: { defaultProps: { variant: "light", tt: "none", fw: 550 } },
    Notification: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
      styles: { description: { color: "var(--mantine-color-dimmed)" } },
    },
    Drawer: { styles: { title: { fontWeight: 650 } } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        closeButtonProps: { "aria-label": "Close" },
      },
      styles: { title: { fontWeight: 650 } },
    },
  },
});

/** Text on a tint needs a contrast of 4.5 to 1, which the library's shades do not all have. */
const ON_TINT_LIGHT = {
  gray: "#3f464d",
  red: "#b42318",
  grape: "#862e9c",
  blue: "#1558a0",
  teal: "#076b53",
  green: "#256b2e",
  yellow: "#7a4a00",
  orange: "#96400b",
  diamond: "#005860",
};
const ON_TINT_DARK = {
  gray: "#ced4da",
  red: "#ffb4ab",
  grape: "#e5b9f0",
  blue: "#a5d0f9",
  teal: "#8ce0c4",
  green: "#a3dfa9",
  yellow: "#ffe08a",
  orange: "#ffc291",
  diamond: "#a6dde1",
};

/** Calm tints for messages. */
const TINT_LIGHT = {
  gray: "#eff1f3",
  red: "#fdeceb",
  grape: "#f8edfb",
  blue: "#e8f2fc",
  teal: "#e3f5ee",
  green: "#e8f6ea",
  yellow: "#fff6db",
  orange: "#fff0e2",
  diamond: "#e0f2f4",
};

const TINT_DARK = {
  gray: "#2f3439",
  red: "#3c2221",
  grape: "#352538",
  blue: "#1c2f42",
  teal: "#17342c",
  green: "#1e3521",
  yellow: "#3a3218",
  orange: "#3c2a1a",
  diamond: "#123438",
};

function tint(colors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(colors).map(([name, color]) => [`--mantine-color-${name}-light`, color]),
  );
}

function onTint(colors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(colors).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
  );
}

export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#565e66",
    "--mantine-color-placeholder": "#666e76",
    "--mantine-color-error": "#b42318",
    ...tint(TINT_LIGHT),
    ...onTint(ON_TINT_LIGHT),
  },
  dark: {
    "--mantine-color-dimmed": "#a9b0b7",
    "--mantine-color-placeholder": "#9aa1a8",
    "--mantine-color-error": "#ff9a91",
    ...tint(TINT_DARK),
    ...onTint(ON_TINT_DARK),
  },
});
