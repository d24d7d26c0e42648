import { Page } from "~/components/Page";

export function TaskPage() {
  return <Page title="Task">{null}</Page>;
}
