import { AppShell, Burger, Group, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { ProblemError } from "~/api/client";
import { useConnectionState } from "~/live/hooks";
import { Bell } from "~/notifications/Bell";
import { meQuery } from "~/people/me";
import { ColorSchemeToggle } from "./ColorSchemeToggle";
import { Navigation } from "./Navigation";
import { OfflineBanner } from "./OfflineBanner";
import { PaletteButton } from "./PaletteButton";
import classes from "./Shell.module.css";

const SignIn = lazy(() => import("~/pages/sign-in/SignIn"));
const AnnouncementBanner = lazy(() => import("~/announcements/AnnouncementBanner"));
const AccountMenu = lazy(() => import("./AccountMenu"));

/** Header, navigation and page; or the sign-in. */
export function Shell() {
  const me = useQuery(meQuery);
  const linkState = useConnectionState();
  const isReview = useLocation().pathname.startsWith("/review/");
  const { refetch } = me;
  useEffect(() => {
    if (linkState === "signed-out") void refetch();
  }, [linkState, refetch]);
  if (isReview) return <ReviewFrame />;
  if (me.error instanceof ProblemError && me.error.status === 401) {
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  }
  return <Frame />;
}

/** For somebody without an account: the page alone, which nobody should find by searching. */
function ReviewFrame() {
  useEffect(() => {
    const robots = document.createElement("meta");
    robots.name = "robots";
    robots.content = "noindex, nofollow";
    document.head.append(robots);
    return () => robots.remove();
  }, []);
  return (
    <main id="content" className={classes.review}>
      <Outlet />
    </main>
  );
}

/** Only on a shared Diamond. */
function Account() {
  const { data: me } = useQuery(meQuery);
  if (me?.mode !== "shared") return null;
  return (
    <Suspense fallback={<div className={classes.account} />}>
      <AccountMenu me={me} />
    </Suspense>
  );
}

function Frame() {
  const { data: me } = useQuery(meQuery);
  const [open, { toggle, close }] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !open } }}
      padding="lg"
    >
      <AppShell.Header className={classes.header}>
        <a href="#content" className={classes.skip}>
          Skip to content
        </a>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={open}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Navigation"
          />
          <UnstyledButton
            renderRoot={(props) => <Link to="/" {...props} />}
            className={classes.logo}
          >
            <img src="/diamond.svg" width={24} height={24} alt="" />
            Diamond
          </UnstyledButton>
          <PaletteButton />
          <Group gap={4} ml="auto" wrap="nowrap">
            <Bell />
            <ColorSchemeToggle />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" component="nav" aria-label="Pages" className={classes.nav}>
        <Navigation onGo={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <OfflineBanner />
        <Suspense>{me?.mode === "shared" && <AnnouncementBanner />}</Suspense>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
