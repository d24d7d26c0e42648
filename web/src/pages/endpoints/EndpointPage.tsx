import { Page } from "~/components/Page";

export function EndpointPage() {
  return <Page title="Endpoint">{null}</Page>;
}
