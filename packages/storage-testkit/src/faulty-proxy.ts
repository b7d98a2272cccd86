import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestFrom,
  type ServerResponse,
} from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, FaultPlan } from "./faults.ts";
import { closeServer, listen, type TestStorage } from "./storage.ts";

export type FaultyProxy = TestStorage & {
  /** Sets the fault from now on; undefined lets everything through. */
  fault(fault: Fault | undefined): void;
  /** How many came in. */
  readonly requests: number;
  /** How many of them were hit by a fault. */
  readonly faults: number;
};

/**
 * Starts a proxy in front of a storage that makes requests go wrong. Closing it leaves the storage
 * open.
 */
export async function startFaultyProxy(target: TestStorage, fault?: Fault): Promise<FaultyProxy> {
  const plan = new FaultPlan();
  plan.set(fault);
  const agent = new Agent({ keepAlive: true });
  const isAzure = target.url("").startsWith("az:");
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const origin = new URL(target.endpoint).origin;
  const proxyOrigin = await listen(server, 0);
  const throughProxy = (text: string): string => text.replace(origin, proxyOrigin);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hit = plan.faultFor(`${request.method} ${request.url}`);
    if (hit?.kind === "hang") return;
    if (hit?.kind === "reset" && hit.when === "before") {
      // Whatever has arrived of the body by now is lost.
      request.socket.resetAndDestroy();
      return;
    }
    const body = await bytesOf(request);
    if (hit?.kind === "status") {
      sendStatus(response, hit.status, hit.body ?? errorBody(hit.status, isAzure), isAzure);
      return;
    }
    if (hit?.kind === "slow") await sleep(hit.delayMs);
    if (hit?.kind === "hold") await hit.until;
    const answer = await forward(request, body);
    const reply = await bytesOf(answer);
    const half = reply.subarray(0, reply.length >> 1);
    if (hit?.kind === "reset" && (hit.when === "after" || half.length === 0)) {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    if (hit?.kind === "reset") {
      response.write(half, () => request.socket.resetAndDestroy());
      return;
    }
    response.end(reply);
  }

  /** Unchanged, including the host that it names, so that a signature stays valid. */
  function forward(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      requestFrom(
        `${origin}${request.url}`,
        { agent, method: request.method ?? "GET", headers: request.headers, setHost: false },
        resolve,
      )
        .on("error", reject)
        .end(body);
    });
  }

  return {
    url: target.url,
    endpoint: throughProxy(target.endpoint),
    storageOptions: Object.fromEntries(
      Object.entries(target.storageOptions).map(([name, value]) => [name, throughProxy(value)]),
    ),
    fault: (fault) => plan.set(fault),
    get requests() {
      return plan.requests;
    },
    get faults() {
      return plan.faults;
    },
    close: async () => {
      agent.destroy();
      await closeServer(server);
    },
  };
}

function sendStatus(
  response: ServerResponse,
  status: number,
  body: string,
  isAzure: boolean,
): void {
  response.writeHead(status, {
    "content-type": "application/xml",
    ...(isAzure && { "x-ms-error-code": codesOf(status).azure }),
  });
  response.end(body);
}

function errorBody(status: number, isAzure: boolean): string {
  const { s3, azure } = codesOf(status);
  const code = isAzure ? azure : s3;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>injected</Message></Error>`;
}

type Codes = { readonly s3: string; readonly azure: string };

function codesOf(status: number): Codes {
  switch (status) {
    case 503:
      return { s3: "SlowDown", azure: "ServerBusy" };
    case 403:
      return { s3: "ExpiredToken", azure: "AuthenticationFailed" };
    default:
      return { s3: "InternalError", azure: "InternalError" };
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
