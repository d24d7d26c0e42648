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
  IconSitemap,
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

type Group = "work" | "library" | "manage" | "administration";

/** Every page in the navigation, by group; the palette lists the same. */
const PAGES = [
  { to: "/", label: "Dashboard", icon: IconHome, for: "everyone", group: "work" },
  { to: "/compose", label: "New job", icon: IconPencilPlus, for: "everyone", group: "work" },
  { to: "/tasks", label: "Tasks", icon: IconListDetails, for: "everyone", group: "work" },
  { to: "/runs", label: "Runs", icon: IconTable, for: "everyone", group: "work" },
  { to: "/studies", label: "Studies", icon: IconChartDots3, for: "everyone", group: "work" },
  { to: "/pipelines", label: "Pipelines", icon: IconGitFork, for: "everyone", group: "work" },
  { to: "/pilots", label: "Pilots", icon: IconServerBolt, for: "everyone", group: "work" },
  { to: "/datasets", label: "Datasets", icon: IconDatabase, for: "everyone", group: "library" },
  { to: "/models", label: "Models", icon: IconBrain, for: "everyone", group: "library" },
  { to: "/images", label: "Images", icon: IconPackage, for: "everyone", group: "library" },
  { to: "/build", label: "Image Builder", icon: IconHammer, for: "everyone", group: "library" },
  { to: "/lineage", label: "Lineage", icon: IconSitemap, for: "everyone", group: "library" },
  { to: "/crates", label: "Crates", icon: IconPackageImport, for: "everyone", group: "library" },
  { to: "/endpoints", label: "Endpoints", icon: IconServer2, for: "everyone", group: "manage" },
  { to: "/projects", label: "Projects", icon: IconUsersGroup, for: "many", group: "manage" },
  { to: "/settings", label: "Settings", icon: IconSettings, for: "everyone", group: "manage" },
  { to: "/users", label: "Users", icon: IconUsers, for: "administrators", group: "administration" },
  {
    to: "/announcements",
    label: "Announcements",
    icon: IconSpeakerphone,
    for: "administrators",
    group: "administration",
  },
  {
    to: "/audit",
    label: "Audit log",
    icon: IconHistory,
    for: "administrators",
    group: "administration",
  },
] as const satisfies {
  to: string;
  label: string;
  icon: TablerIcon;
  for: Audience;
  group: Group;
}[];

/** Headings of the navigation. Projects are only there on a shared Diamond. */
export const GROUPS: Record<Group, string> = {
  work: "Work",
  library: "Library",
  manage: "Manage",
  administration: "Administration",
};

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
