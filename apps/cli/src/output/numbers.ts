import { type SafeText, safe, safeText } from "./safe-text.ts";

/** `12,345`. Not made by `Intl.NumberFormat`, because the first one of a process takes 25 ms. */
export function formatCount(count: number): SafeText {
  return safeText(String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ","));
}

/** `1 session`, `2 sessions` */
export function formatCounted(count: number, one: string, many: string = `${one}s`): SafeText {
  return safe`${formatCount(count)} ${safeText(count === 1 ? one : many)}`;
}

/** `1.2 MB`, in powers of a thousand, as disks are sold. */
export function formatBytes(bytes: number): SafeText {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return safeText(
    `${at === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[at]}`,
  );
}

/** `0.3 s`, `42 s`, `3 min 20 s`, `2 h 5 min` */
export function formatDuration(ms: number): SafeText {
  const seconds = ms / 1000;
  if (seconds < 9.95) return safeText(`${seconds.toFixed(1)} s`);
  if (seconds < 59.5) return safeText(`${Math.round(seconds)} s`);
  const minutes = Math.round(seconds) / 60;
  if (minutes < 60) return safeText(`${Math.floor(minutes)} min ${Math.round(seconds) % 60} s`);
  return safeText(`${Math.floor(minutes / 60)} h ${Math.floor(minutes % 60)} min`);
}
