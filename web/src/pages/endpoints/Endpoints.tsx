import { Page } from "~/components/Page";

export function Endpoints() {
  return <Page title="Endpoints">{null}</Page>;
}
