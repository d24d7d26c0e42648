import { useQuery } from "@tanstack/react-query";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { defaultLimitsQuery, limitsApi } from "~/limits/api";
import { LimitsForm } from "~/limits/LimitsForm";

/** Limits for everyone without individual limits. */
export function LimitsTab() {
  const query = useQuery(defaultLimitsQuery);
  return (
    <Section
      title="Default limits"
      about="Apply to everyone without individual limits, and are checked before every submission. Leave a field empty for no limit. Set individual limits in a person's account, and project limits on the project page."
    >
      <QueryResult query={query}>
        {(limits) => <LimitsForm saved={limits} save={limitsApi.setDefault} />}
      </QueryResult>
    </Section>
  );
}
