import { SimpleGrid } from "@mantine/core";
import type { Endpoint } from "~/api/client";
import { CleanUp } from "./CleanUp";
import { RetentionRules } from "./RetentionRules";

/** Frees space on the machine, once or by rules. Logs and metrics are always kept. */
export function CleanUpTab({ endpoint }: { endpoint: Endpoint }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
      <CleanUp endpoint={endpoint} />
      <RetentionRules key={endpoint.id} endpoint={endpoint} />
    </SimpleGrid>
  );
}
