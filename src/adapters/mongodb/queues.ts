/** Work that has to be done one after the other: for each key a queue, and a failure holds up nobody behind it. */
export type Queues = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function openQueues(): Queues {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key);
    const doing = before === undefined ? work() : before.then(work, work);
    last.set(key, doing);
    const forget = (): void => {
      if (last.get(key) === doing) last.delete(key);
    };
    doing.then(forget, forget);
    return doing;
  };
}
