import { NavLink } from "@mantine/core";
import {
  IconHammer,
  IconHome,
  IconListDetails,
  IconPackage,
  IconPencilPlus,
  IconServer2,
  IconSettings,
} from "@tabler/icons-react";
import { Link, useLocation } from "@tanstack/react-router";

/** Every page that has a place of its own; the palette lists the same. */
export const PLACES = [
  { to: "/", label: "Dashboard", icon: IconHome },
  { to: "/compose", label: "New job", icon: IconPencilPlus },
  { to: "/tasks", label: "Tasks", icon: IconListDetails },
  { to: "/images", label: "Images", icon: IconPackage },
  { to: "/build", label: "Image Builder", icon: IconHammer },
  { to: "/endpoints", label: "Endpoints", icon: IconServer2 },
  { to: "/settings", label: "Settings", icon: IconSettings },
] as const;

export function Navigation({ onGo }: { onGo: () => void }) {
  const here = useLocation().pathname;
  return PLACES.map(({ to, label, icon: Icon }) => {
    const active = to === "/" ? here === "/" : here.startsWith(to);
    return (
      <NavLink
        key={to}
        renderRoot={(props) => <Link to={to} {...props} />}
        label={label}
        leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
        active={active}
        aria-current={active ? "page" : undefined}
        onClick={onGo}
        style={{ borderRadius: 6 }}
      />
    );
  });
}
