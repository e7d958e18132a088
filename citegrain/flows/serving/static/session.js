// What this tab remembers: the last question and answer, and those before. It goes when the tab is closed.

const KEY = "citegrain.session";
const MOST = 20;

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

const empty = { question: "", day: "", build: "", act: "", answer: null, history: [] };

/** The state of the tab; `file`, the file that is asked, is not stored. */
export const session = { ...empty, ...stored(), file: null };

export function save(values) {
  Object.assign(session, values);
  const { file, ...rest } = session;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(rest));
  } catch {
    sessionStorage.removeItem(KEY); // full: the page works on without
  }
}

export function remember(entry) {
  const others = session.history.filter((one) => one.question !== entry.question || one.day !== entry.day);
  save({ history: [entry, ...others].slice(0, MOST) });
}

export function forget() {
  save({ ...empty, build: session.build });
}
