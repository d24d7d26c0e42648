import {
  IconBrain,
  IconChartDots3,
  IconDatabase,
  IconGitFork,
  IconHammer,
  IconHistory,
  IconHome,
  IconListDetails,
  IconPackage,
  IconPackageImport,
  IconPencilPlus,
  IconServer2,
  IconServerBolt,
  IconSettings,
  IconSpeakerphone,
  IconTable,
  IconUsers,
  IconUsersGroup,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { meQuery } from "~/people/me";

type Me = Schemas["Me"];
type Audience = "everyone" | "many" | "administrators";

/** Every page in the navigation; the palette lists the same. */
const PAGES = [
  { to: "/", label: "Dashboard", icon: IconHome, for: "everyone" },
  { to: "/compose", label: "New job", icon: IconPencilPlus, for: "everyone" },
  { to: "/tasks", label: "Tasks", icon: IconListDetails, for: "everyone" },
  { to: "/pipelines", label: "Pipelines", icon: IconGitFork, for: "everyone" },
  { to: "/pilots", label: "Pilots", icon: IconServerBolt, for: "everyone" },
  { to: "/studies", label: "Studies", icon: IconChartDots3, for: "everyone" },
  { to: "/runs", label: "Runs", icon: IconTable, for: "everyone" },
  { to: "/images", label: "Images", icon: IconPackage, for: "everyone" },
  { to: "/datasets", label: "Datasets", icon: IconDatabase, for: "everyone" },
  { to: "/models", label: "Models", icon: IconBrain, for: "everyone" },
  { to: "/build", label: "Image Builder", icon: IconHammer, for: "everyone" },
  { to: "/crates", label: "Crates", icon: IconPackageImport, for: "everyone" },
  { to: "/endpoints", label: "Endpoints", icon: IconServer2, for: "everyone" },
  { to: "/projects", label: "Projects", icon: IconUsersGroup, for: "many" },
  { to: "/settings", label: "Settings", icon: IconSettings, for: "everyone" },
  { to: "/users", label: "Users", icon: IconUsers, for: "administrators" },
  { to: "/announcements", label: "Announcements", icon: IconSpeakerphone, for: "administrators" },
  { to: "/audit", label: "Audit log", icon: IconHistory, for: "administrators" },
] as const satisfies { to: string; label: string; icon: TablerIcon; for: Audience }[];

export type NavPage = (typeof PAGES)[number];

/** The pages for this person: projects only on a shared Diamond, administration only for administrators. */
export function useNavPages(): NavPage[] {
  const { data: me } = useQuery(meQuery);
  return navPagesFor(me);
}

export function navPagesFor(me: Pick<Me, "mode" | "is_admin"> | undefined): NavPage[] {
  const isShared = me?.mode === "shared";
  const shown = {
    everyone: true,
    many: isShared,
    administrators: isShared && Boolean(me?.is_admin),
  };
  return PAGES.filter((place) => shown[place.for]);
}
