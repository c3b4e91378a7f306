/** The pages of a server as a process, by a browser without scripts. */
import type { RunningServer } from '../kit/process.js';

export const accountOf = (name: string) => ({
  name,
  email: `${name.toLowerCase()}@example.org`,
  password: `the password of ${name}`,
});

/** A browser with one cookie. `csrf`: the token of the last page with a form. */
export function browser({ url }: RunningServer) {
  let [cookie, csrf] = ['', ''];
  const visit = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(path, url), {
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      ...(form && { method: 'POST', body: new URLSearchParams({ ...form, csrf }) }),
    });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    const text = await response.text();
    csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf;
    return { status: response.status, location: response.headers.get('location'), text };
  };
  /** The next visits are to another start of the server. */
  const goTo = (other: RunningServer) => void ({ url } = other);
  return Object.assign(visit, { goTo });
}
