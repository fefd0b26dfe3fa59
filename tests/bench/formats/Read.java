// Iterates over every record of an archive with jwarc, HTTP heads parsed, and says what it cost.
// Prints {"records", "wallSeconds", "cpuSeconds"}; the machine's own start is not counted, its compiling is.
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Paths;
import org.netpreserve.jwarc.*;

public class Read {
    public static void main(String[] args) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long wall = System.nanoTime(), cpu = system.getProcessCpuTime();
        long records = 0;
        try (WarcReader reader = new WarcReader(Paths.get(args[0]))) {
            for (WarcRecord record : reader) {
                records += 1;
                if (record instanceof WarcResponse && record.contentType().base().equals(MediaType.HTTP)) ((WarcResponse) record).http();
                else if (record instanceof WarcRequest && record.contentType().base().equals(MediaType.HTTP)) ((WarcRequest) record).http();
            }
        }
        System.out.printf("{\"records\":%d,\"wallSeconds\":%f,\"cpuSeconds\":%f}%n", records, (System.nanoTime() - wall) / 1e9, (system.getProcessCpuTime() - cpu) / 1e9);
    }
}
