import { Page } from "~/components/Page";

export function Composer() {
  return <Page title="New job">{null}</Page>;
}
