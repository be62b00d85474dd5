import {
  ArrowDownUp,
  CircleCheck,
  CircleSlash2,
  CloudOff,
  Handshake,
  Link2,
  MonitorSmartphone,
  Share2,
  TriangleAlert,
} from 'lucide-react';
import { DEVICE_LABELS, type DeviceStatus } from '#renderer/text/devices-text.ts';
import { Chip, type ChipStyle } from '#renderer/ui/display/status-chip.tsx';

const DEVICE_STYLES: Readonly<Record<DeviceStatus, ChipStyle>> = {
  this: { icon: MonitorSmartphone, tone: 'active' },
  live: { icon: CircleCheck, tone: 'good' },
  greeting: { icon: Handshake, tone: 'active' },
  'catching-up': { icon: ArrowDownUp, tone: 'active' },
  'update-needed': { icon: TriangleAlert, tone: 'wait' },
  linked: { icon: Link2, tone: 'active' },
  away: { icon: CloudOff, tone: 'quiet' },
  unpaired: { icon: CircleSlash2, tone: 'quiet' },
  known: { icon: Share2, tone: 'quiet' },
};

export function DeviceChip({ status }: { readonly status: DeviceStatus }) {
  return <Chip {...DEVICE_STYLES[status]} label={DEVICE_LABELS[status]} />;
}
