import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useKeptAppearance } from "./appearance";

export function SchemeToggle() {
  useKeptAppearance();
  const { setColorScheme } = useMantineColorScheme();
  const now = useComputedColorScheme("light");
  const other = now === "dark" ? "light" : "dark";
  const Icon = now === "dark" ? IconSun : IconMoon;
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
