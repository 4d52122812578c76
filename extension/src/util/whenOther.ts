/** Returns a function that calls `act` if what `now` returns, as JSON, is no longer what it was at the last call. */
export function whenOther(now: () => unknown, act: () => void): () => void {
  let before = JSON.stringify(now());
  return () => {
    const after = JSON.stringify(now());
    if (after !== before) {
      before = after;
      act();
    }
  };
}
