import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Task = Schemas["Task"];
export type Endpoint = Schemas["Endpoint"];

/** An error response of the service, with its own message. */
export class ProblemError extends Error {
  constructor(
    readonly problem: Schemas["Problem"],
    readonly status: number,
  ) {
    super(problem.title);
    this.name = "ProblemError";
  }

  get hint(): string {
    return this.problem.hint ?? "";
  }

  get faults(): Schemas["Fault"][] {
    return this.problem.faults ?? [];
  }

  get code(): string {
    return this.problem.code;
  }
}

/** The service did not respond at all. */
export class UnreachableError extends Error {
  readonly hint = "Is it running? Start it with `diamond up`; this page reconnects automatically.";
  constructor() {
    super("Diamond is not responding");
    this.name = "UnreachableError";
  }
}

const UNKNOWN_PROBLEM = {
  code: "unknown",
  faults: [],
  hint: "",
  retryable: false,
  type: "about:blank",
};

export async function problemOf(response: Response): Promise<ProblemError | UnreachableError> {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Schemas["Problem"];
    if (problem.title) return new ProblemError(problem, response.status);
  } catch {
    // A proxy's error page, not a response of the service.
  }
  if ([502, 503, 504].includes(response.status)) return new UnreachableError();
  const title = `The service responded with ${response.status} ${response.statusText}`;
  return new ProblemError({ ...UNKNOWN_PROBLEM, title, status: response.status }, response.status);
}

const throwProblems: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
  onError({ error }) {
    return error instanceof ProblemError ? error : new UnreachableError();
  },
};

export const api = createClient<paths>({ baseUrl: "" });
api.use(throwProblems);

/** The data of a call. Errors have already been thrown as ProblemError. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** For responses that are not JSON: log ranges, files, scripts. */
export async function fetchRaw(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch(() => {
    throw new UnreachableError();
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}
