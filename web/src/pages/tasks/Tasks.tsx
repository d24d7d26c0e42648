import { Page } from "~/components/Page";

export function Tasks() {
  return <Page title="Tasks">{null}</Page>;
}
