// What bench.mjs and focus.mjs leave in the page for themselves.
interface Window {
  agentfsTasks: number[];
  agentfsClicked: number;
  agentfsSeen: (mark: string) => Promise<number>;
  agentfsFocus: Element | null;
  agentfsLost: string;
}
