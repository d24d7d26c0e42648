import { useQuery } from "@tanstack/react-query";
import { askLimits, everyonesLimitsQuery } from "~/api/limits";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";
import { LimitsForm } from "~/limits/LimitsForm";

/** What holds for whoever has no limits of her own. */
export function LimitsTab() {
  const query = useQuery(everyonesLimitsQuery);
  return (
    <Section
      title="Default limits"
      about="Apply to everyone without individual limits, and are checked before every submission. Leave a field empty for no limit. Set individual limits in a person's account, and project limits on the project page."
    >
      <Answer query={query}>
        {(kept) => <LimitsForm kept={kept} save={askLimits.everyones} />}
      </Answer>
    </Section>
  );
}
