using UnityEngine;

public class Player : MonoBehaviour
{
    [SerializeField] private float speed = 4f;
    [SerializeField] private int startLives = 3;

    public string Nickname { get; set; }

    public int Score { get; private set; }

    public int Lives { get; private set; }

    public float Stamina { get; set; } = 1f;

    private void Awake()
    {
        Lives = startLives;
    }

    private void Update()
    {
        var direction = new Vector3(Input.GetAxis("Horizontal"), 0f, Input.GetAxis("Vertical"));
        transform.position += direction * (speed * Stamina * Time.deltaTime);
    }

    public void Collect(Coin coin)
    {
        Score += coin.Value;
        Destroy(coin.gameObject);
    }

    public void Hit()
    {
        Lives--;
        if (Lives == 0)
        {
            gameObject.SetActive(false);
        }
    }
}
