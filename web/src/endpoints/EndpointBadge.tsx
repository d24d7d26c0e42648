import { Badge } from "@mantine/core";

const STATES: Record<string, { color: string; label: string }> = {
  online: { color: "teal", label: "online" },
  offline: { color: "gray", label: "offline" },
  "sign-in": { color: "orange", label: "sign-in needed" },
  pairing: { color: "blue", label: "waiting for the agent" },
  confirming: { color: "blue", label: "needs your confirmation" },
};

export function EndpointBadge({ endpoint }: { endpoint: { state: string } }) {
  const look = STATES[endpoint.state] ?? { color: "gray", label: endpoint.state };
  return (
    <Badge color={look.color} variant="dot">
      {look.label}
    </Badge>
  );
}
