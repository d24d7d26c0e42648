import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "~/components/Page";
import { TabList } from "~/components/TabList";
import { AccountTab } from "./AccountTab";
import { GeneralTab } from "./GeneralTab";
import { NotificationsTab } from "./NotificationsTab";
import { StorageTab } from "./StorageTab";
import type { Tab } from "./search";
import { TokensTab } from "./TokensTab";

export function Settings() {
  const { tab = "general" } = useSearch({ from: "/settings" });
  const navigate = useNavigate();
  const go = (next: string | null) =>
    void navigate({ to: "/settings", search: next === "general" ? {} : { tab: next as Tab } });
  return (
    <Page title="Settings">
      <Tabs value={tab} onChange={go} keepMounted={false}>
        <TabList value={tab} mb="md">
          <Tabs.Tab value="general">General</Tabs.Tab>
          <Tabs.Tab value="notifications">Notifications</Tabs.Tab>
          <Tabs.Tab value="account">Sign-in</Tabs.Tab>
          <Tabs.Tab value="tokens">Tokens</Tabs.Tab>
          <Tabs.Tab value="storage">Storage</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="general">
          <GeneralTab />
        </Tabs.Panel>
        <Tabs.Panel value="notifications">
          <NotificationsTab />
        </Tabs.Panel>
        <Tabs.Panel value="account">
          <AccountTab />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <TokensTab />
        </Tabs.Panel>
        <Tabs.Panel value="storage">
          <StorageTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
