import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useSavedAppearance } from "./appearance";

export function ColorSchemeToggle() {
  useSavedAppearance();
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme("light");
  const other = current === "dark" ? "light" : "dark";
  const Icon = current === "dark" ? IconSun : IconMoon;
  return (
    <Tooltip label={`Switch to ${other} mode`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => setColorScheme(other)}
        aria-label={`Switch to ${other} mode`}
      >
        <Icon size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
