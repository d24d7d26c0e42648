import { Page } from "~/components/Page";

export function Dashboard() {
  return <Page title="Dashboard">{null}</Page>;
}
