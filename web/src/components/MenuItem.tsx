import { Menu } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";

type MenuItemProps = {
  icon: TablerIcon;
  /** It deletes or removes something. */
  danger?: boolean;
  onClick: () => void;
  children: ReactNode;
};

/** A menu item with an icon. */
export function MenuItem({ icon: Icon, danger, onClick, children }: MenuItemProps) {
  return (
    <Menu.Item
      leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
      c={danger ? "var(--mantine-color-error)" : undefined}
      onClick={onClick}
    >
      {children}
    </Menu.Item>
  );
}
