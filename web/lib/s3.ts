/** Objects of stores that speak S3, as `s3://bucket/key`, and the addresses that they have over HTTP. */

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/** Where a store is, if it is not Amazon's, and in which region. */
export interface S3Place {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** Amazon's own region for buckets that were made in none, and what other stores take for theirs. */
export const DEFAULT_REGION = "us-east-1";

/** Names that fit into one label of a host name, as all buckets have that were made since 2018 without dots. */
const labelName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** What is named by a text as it was typed: a key is taken as it stands, as by all that knows such addresses. */
export function objectNamed(text: string): S3Object | undefined {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/is.exec(text) ?? [];
  return bucket === undefined || key === undefined ? undefined : { bucket, key };
}

/** What is named by an address that `addressOf` made, or a URL. */
export function objectAt(address: string): S3Object | undefined {
  if (!/^s3:/i.test(address) || !URL.canParse(address)) return undefined;
  const { host, pathname } = new URL(address);
  try {
    const key = decodeURIComponent(pathname.slice(1));
    return host === "" || key === "" ? undefined : { bucket: host, key };
  } catch {
    return undefined;
  }
}

export const addressOf = ({ bucket, key }: S3Object): string => `s3://${bucket}/${encoded(key)}`;

/** Where an object is to be had by HTTP. */
export function httpAddress({ bucket, key }: S3Object, { endpoint, region }: S3Place = {}): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, "")}/${encoded(bucket)}/${encoded(key)}`;
  const store = region === undefined || region === DEFAULT_REGION ? "s3.amazonaws.com" : `s3.${region}.amazonaws.com`;
  // No certificate is good for further labels below.
  return labelName.test(bucket) ? `https://${bucket}.${store}/${encoded(key)}` : `https://${store}/${encoded(bucket)}/${encoded(key)}`;
}

/** As signatures have it: all but letters, digits, four marks, and what parts folders. */
const encoded = (text: string): string => text.split("/").map((part) => encodeURIComponent(part).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)).join("/");
