/**
 * Requests for objects of S3 from Node: to the store, in the region and with the keys that the AWS tools are told of, by
 * the same variables and files. Without keys what is public can be read. Never loaded in a browser.
 */

import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { ArchiveError } from "./errors.js";
import { DEFAULT_REGION, httpAddress, objectAt, type S3Place } from "./s3.js";

export interface S3Keys {
  readonly id: string;
  readonly secret: string;
  /** Of keys that were given for some hours. */
  readonly token?: string | undefined;
}

export interface S3Setting extends S3Place {
  readonly keys?: S3Keys | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the AWS tools would take: variables before files. */
export async function settingOf(env: Environment = process.env): Promise<S3Setting> {
  const home = join(homedir(), ".aws");
  const profile = env["AWS_PROFILE"] || "default";
  const [credentials, config] = await Promise.all([
    fieldsIn(env["AWS_SHARED_CREDENTIALS_FILE"] || join(home, "credentials"), [profile]),
    fieldsIn(env["AWS_CONFIG_FILE"] || join(home, "config"), [`profile ${profile}`, profile]),
  ]);
  const stated = (name: string): string | undefined => credentials.get(name) ?? config.get(name);
  const inEnv = env["AWS_ACCESS_KEY_ID"] && env["AWS_SECRET_ACCESS_KEY"];
  const [id, secret, token] = inEnv
    ? [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env["AWS_SESSION_TOKEN"]]
    : [stated("aws_access_key_id"), stated("aws_secret_access_key"), stated("aws_session_token")];
  return {
    endpoint: env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || stated("endpoint_url"),
    region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || stated("region"),
    keys: id && secret ? { id, secret, token: token || undefined } : undefined,
  };
}

/** `name = value` below one of these headings; nothing where there is no such file. */
async function fieldsIn(path: string, headings: readonly string[]): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  const text = await readFile(path, "utf8").catch(() => "");
  let isMeant = false;
  for (const line of text.split(/\r?\n/)) {
    const [, heading] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (heading !== undefined) isMeant = headings.includes(heading.trim());
    const [, name, value] = /^(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isMeant && name !== undefined && value !== undefined && value !== "") fields.set(name.toLowerCase(), value);
  }
  return fields;
}

/** As `fetch`, for `s3://` addresses: signed where there are keys, and asked once more where the bucket is in another region. */
export function asker(setting: S3Setting): typeof fetch {
  let { region } = setting;
  return async (address, init = {}) => {
    const object = objectAt(String(address));
    if (!object) throw new ArchiveError("source/bad-address", `${String(address)} is no address of an object: s3://BUCKET/KEY is.`);
    const ask = (): Promise<Response> => {
      const url = new URL(httpAddress(object, { ...setting, region }));
      const stated = Object.fromEntries(new Headers(init.headers));
      const headers = setting.keys ? signed({ url, method: init.method ?? "GET", headers: stated, keys: setting.keys, region: region ?? DEFAULT_REGION, now: new Date() }) : stated;
      return fetch(url, { ...init, headers });
    };
    const first = await ask();
    const other = first.headers.get("x-amz-bucket-region");
    // It becomes a part of a host name.
    const isElsewhere = !first.ok && other !== null && /^[a-z0-9-]{1,32}$/.test(other) && other !== (region ?? DEFAULT_REGION);
    if (isElsewhere) region = other;
    const response = isElsewhere ? await ask() : first;
    if ((response.status === 401 || response.status === 403) && !setting.keys) {
      const message = `Access to ${String(address)} is not allowed. Without keys only what is public can be read: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to one in ~/.aws/credentials.`;
      throw new ArchiveError(`source/http-${response.status}`, message);
    }
    return response;
  };
}

interface Asked {
  readonly url: URL;
  readonly method: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly keys: S3Keys;
  readonly region: string;
  readonly now: Date;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The headers with a signature of version 4, for a request without a body or a query. */
export function signed({ url, method, headers, keys, region, now }: Asked): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const body = sha256("");
  const sent: Record<string, string> = { ...headers, "x-amz-content-sha256": body, "x-amz-date": time, ...(keys.token !== undefined && { "x-amz-security-token": keys.token }) };
  const said = Object.entries({ ...sent, host: url.host }).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = said.map(([name]) => name).join(";");
  const request = [method, url.pathname, "", ...said.map(([name, value]) => `${name}:${value.trim()}`), "", names, body].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${keys.secret}`);
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n")).toString("hex");
  return { ...sent, authorization: `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope},SignedHeaders=${names},Signature=${signature}` };
}
