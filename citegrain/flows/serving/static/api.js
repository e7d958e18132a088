// The calls of the page. Addresses are relative: the page may stand below any path of a host.

const TRIES = 4;

/** What went wrong, as RFC 9457 has it; status 0: nothing answered; `choices`: by id, what may be meant. */
export class Problem extends Error {
  constructor(status, detail, id = "", choices = {}) {
    super(detail);
    Object.assign(this, { status, id, choices });
  }
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function call(path, options = {}, tries = TRIES) {
  let reply;
  try {
    reply = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "");
  }
  if (reply.ok) return reply;
  const wait = Number(reply.headers.get("retry-after"));
  if (reply.status === 503 && wait > 0 && wait <= 5 && tries > 1) {
    await pause(wait);
    return call(path, options, tries - 1);
  }
  const content = await reply.json().catch(() => ({}));
  throw new Problem(reply.status, content.detail ?? "", content.instance, content.choices);
}

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));

export async function getJson(path, values = {}, signal = undefined) {
  const asked = query(values).toString();
  return (await call(asked ? `${path}?${asked}` : path, { signal })).json();
}

export async function post(path, body, signal = undefined) {
  const headers = { "content-type": "application/json" };
  return (await call(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

const place = (id) => `v1/provisions/${id.split("/").map(encodeURIComponent).join("/")}`;

export const provision = (id, where) => getJson(place(id), where);
export const provisionByWords = (cite, where) => getJson("v1/provisions", { cite, ...where });
export const neighbours = (id, build) => getJson(`${place(id)}/neighbours`, { build });

/** The sections of a document, all of them, without their texts. */
export async function contents(act, where) {
  const rows = [];
  for (let total = 1; rows.length < total;) {
    const part = await getJson(`v1/acts/${encodeURIComponent(act)}/provisions`, { ...where, start: rows.length, most: 1000 });
    if (!part.provisions.length) break;
    rows.push(...part.provisions);
    total = part.total;
  }
  return rows;
}

export const changes = (values) => getJson("v1/changes", values);

/** The page of a provision: its picture, and the edges of what is marked on it as shares of its size. */
export async function picture(id, where) {
  const reply = await call(`${place(id)}/page?${query(where)}`);
  const mark = (reply.headers.get("x-citegrain-mark") ?? "0 0 0 0").split(" ").map(Number);
  return { image: await reply.blob(), mark };
}
